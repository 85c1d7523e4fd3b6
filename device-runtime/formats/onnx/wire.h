// Reads protobuf's wire format without generated code: fields one after another, in place. Source:
// the protobuf encoding guide.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace ferry::formats {

// One field of a message. Views into the input.
struct WireField {
  uint32_t number = 0;
  uint8_t type = 0;    // 0 varint, 1 fixed 64, 2 bytes, 5 fixed 32
  uint64_t value = 0;  // for types 0, 1, 5
  ByteView bytes;      // for type 2
  size_t offset = 0;   // of the field in the file

  std::string_view text() const { return AsText(bytes); }
  int64_t integer() const { return static_cast<int64_t>(value); }
  float fixed_float() const;
};

// Iterates over the fields of one message.
class WireReader {
 public:
  // `offset` is where `message` lies in the file, for error messages.
  explicit WireReader(ByteView message, size_t offset = 0) : message_(message), base_(offset) {}
  static WireReader Inside(const WireField& field);

  bool AtEnd() const { return at_ >= message_.size(); }
  // kBadModel naming the byte offset for broken encoding and groups.
  Result<WireField> Next();
  Status Error(std::string_view what) const;

 private:
  Result<uint64_t> Varint();
  ByteView message_;
  size_t base_;
  size_t at_ = 0;
};

// Appends the numbers of a repeated field, packed or not.
Status AppendIntegers(const WireField& field, std::vector<int64_t>& out);
Status AppendFloats(const WireField& field, std::vector<float>& out);
Status AppendDoubles(const WireField& field, std::vector<double>& out);
// kBadModel unless the field is of this wire type.
Status ExpectType(const WireField& field, uint8_t type);

}  // namespace ferry::formats
