// Reads a bytecode file from front to back. Past the end, or at a number out of its range, it fails
// and stays failed; everything read from then on is 0.
#pragma once

#include <cstdint>
#include <string_view>

namespace ferry::vm {

class Cursor {
 public:
  explicit Cursor(std::string_view bytes = {}) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  size_t left() const { return bytes_.size() - at_; }
  uint64_t Fail() {
    ok_ = false;
    at_ = bytes_.size();
    return 0;
  }

  std::string_view Take(size_t size) {
    if (size > left()) {
      Fail();
      return {};
    }
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  uint8_t Byte() {
    const std::string_view one = Take(1);
    return one.empty() ? 0 : static_cast<uint8_t>(one[0]);
  }
  uint64_t Number() {
    uint64_t n = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint64_t byte = Byte();
      if (shift == 63 && byte > 1) return Fail();
      n |= (byte & 127) << shift;
      if (byte < 128) return n;
    }
    return Fail();
  }
  // Less than `end`.
  uint32_t Below(uint64_t end) {
    const uint64_t n = Number();
    return static_cast<uint32_t>(n < end ? n : Fail());
  }
  uint16_t Short() { return static_cast<uint16_t>(Below(UINT16_MAX + 1)); }
  // A count of things that take at least a byte each: one larger than what is left is wrong.
  uint32_t Count(uint64_t most) {
    const uint64_t n = Number();
    return static_cast<uint32_t>(n <= most && n <= left() ? n : Fail());
  }
  std::string_view Text() { return Take(static_cast<size_t>(Number())); }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace ferry::vm
