// Reading a pattern character by character, with the places that errors name.
#pragma once

#include <string>
#include <string_view>

#include "device-runtime/vm/regex/node.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm::regex {

inline constexpr uint32_t kEnd = 0xFFFFFFFF;  // no more characters

class Cursor {
 public:
  Cursor(std::string_view text, bool bytes) : text_(text), bytes_(bytes) {}

  bool bytes() const { return bytes_; }
  uint32_t Peek() const {
    size_t at = at_;
    return at < text_.size() ? Read(&at) : kEnd;
  }
  uint32_t Next() {
    if (at_ >= text_.size()) return kEnd;
    ++place_;
    return Read(&at_);
  }
  bool Take(uint32_t c) {
    if (Peek() != c) return false;
    Next();
    return true;
  }
  int64_t place() const { return place_; }
  size_t offset() const { return at_; }
  void Seek(size_t offset, int64_t place) {
    at_ = offset;
    place_ = place;
  }
  std::string_view Since(size_t offset) const { return text_.substr(offset, at_ - offset); }

 private:
  uint32_t Read(size_t* at) const {
    if (bytes_) return static_cast<unsigned char>(text_[(*at)++]);
    return Utf8Next(text_, at);
  }
  std::string_view text_;
  bool bytes_;
  size_t at_ = 0;
  int64_t place_ = 0;
};

// ---- parse.cc ----
// A character in a message, as it stands.
std::string Shown(uint32_t c, bool bytes);

inline bool IsOctal(uint32_t c) {
  return c >= '0' && c <= '7';
}
inline bool IsAsciiDigit(uint32_t c) {
  return c >= '0' && c <= '9';
}
inline bool IsAsciiLetter(uint32_t c) {
  return (c | 32) >= 'a' && (c | 32) <= 'z' && c < 128;
}
inline int HexValue(uint32_t c) {
  if (IsAsciiDigit(c)) return static_cast<int>(c - '0');
  if (c < 128 && (c | 32) >= 'a' && (c | 32) <= 'f') return static_cast<int>((c | 32) - 'a' + 10);
  return -1;
}

}  // namespace ferry::vm::regex
