// TextBuilder: text under construction in the isolate's own memory, so that it counts against the
// limit while it grows.
#pragma once

#include <cstring>
#include <string_view>

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

class TextBuilder {
 public:
  explicit TextBuilder(Vm& vm) : vm_(vm) {}
  ~TextBuilder() {
    if (data_ != inline_) vm_.heap.FreeBuffer(data_, capacity_);
  }
  TextBuilder(const TextBuilder&) = delete;
  TextBuilder& operator=(const TextBuilder&) = delete;

  // False: no memory, or more than a string may hold; the run is over then.
  bool Append(std::string_view text) {
    if (text.size() > capacity_ - size_ && !Grow(text.size())) return false;
    std::memcpy(data_ + size_, text.data(), text.size());
    size_ += text.size();
    return true;
  }
  bool Append(char c) { return Append(std::string_view(&c, 1)); }
  bool AppendCode(uint32_t c);  // UTF-8; surrogates too
  bool Fill(std::string_view text, size_t times);
  void Shrink(size_t size) { size_ = size; }
  std::string_view view() const { return {data_, size_}; }
  size_t size() const { return size_; }
  Value ToString() { return vm_.NewString(view()); }
  // The place of the next `size` bytes, which the caller fills; nullptr: no memory.
  char* Space(size_t size) {
    if (size > capacity_ - size_ && !Grow(size)) return nullptr;
    size_ += size;
    return data_ + size_ - size;
  }

 private:
  bool Grow(size_t more);
  Vm& vm_;
  char inline_[240];
  char* data_ = inline_;
  size_t size_ = 0, capacity_ = sizeof inline_;
};

// A string of `size` bytes and `length` code points, which the caller writes at *data.
Value NewText(Vm& vm, size_t size, size_t length, char** data);
// `v` as a str proper: a copy for instances of classes derived from str.
Value PlainString(Vm& vm, Value v);
// Writes one code point as UTF-8 and gives its size.
inline size_t PutCode(uint32_t c, char* out) {
  const auto put = [&](size_t i, uint32_t byte) { out[i] = static_cast<char>(byte); };
  if (c < 0x80) {
    put(0, c);
    return 1;
  }
  if (c < 0x800) {
    put(0, 0xC0 | c >> 6);
    put(1, 0x80 | (c & 63));
    return 2;
  }
  if (c < 0x10000) {
    put(0, 0xE0 | c >> 12);
    put(1, 0x80 | (c >> 6 & 63));
    put(2, 0x80 | (c & 63));
    return 3;
  }
  put(0, 0xF0 | c >> 18);
  put(1, 0x80 | (c >> 12 & 63));
  put(2, 0x80 | (c >> 6 & 63));
  put(3, 0x80 | (c & 63));
  return 4;
}

}  // namespace ferry::vm
