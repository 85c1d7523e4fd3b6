// Walks over the bytes of a GGUF file, never behind their end.
#pragma once

#include <cstring>
#include <string_view>

#include "device-runtime/formats/gguf.h"

namespace ferry::formats {

class GgufCursor {
 public:
  explicit GgufCursor(ByteView bytes, size_t at = 0) : bytes_(bytes), at_(at) {}

  size_t at() const { return at_; }
  size_t left() const { return bytes_.size() - at_; }
  Status Error(std::string_view what) const;  // kMalformed with the place

  template <typename T>
  Result<T> Number() {
    if (left() < sizeof(T)) return Error("the file ends in a number");
    T value;
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  // Its length as 64 bits, then itself.
  Result<std::string_view> Text();
  // A key or a tensor's name: a text of at most kMaxGgufNameBytes, not empty.
  Result<std::string_view> Name();
  // A value behind its type's number.
  Result<GgufValue> Value();

 private:
  Status SkipItems(GgufType item, uint64_t count, int nesting);
  Result<GgufValue> Array(int nesting);
  Result<GgufType> Type();

  ByteView bytes_;
  size_t at_;
};

// Bytes of a number or truth value; 0 for texts and arrays.
size_t GgufItemBytes(GgufType type);

}  // namespace ferry::formats
