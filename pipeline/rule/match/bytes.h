// Numbers and texts in the byte strings of the matcher's state. Internal to the room.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ferry::rule {

// Seven bits a byte, the lowest first; signed numbers with their sign in the lowest bit.
void PutNumber(uint64_t value, std::string* out);
void PutSigned(int64_t value, std::string* out);
// The length, then the bytes.
void PutText(std::string_view text, std::string* out);

// Reads from the front; after an error everything is 0 and empty, and ok() is false.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
  uint64_t Number();
  int64_t Signed();
  std::string_view Text();
  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }
  size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace ferry::rule
