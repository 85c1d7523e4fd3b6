// Little-endian numbers and counted texts, for the form of a tokenizer inside a model file.
#pragma once

#include <bit>
#include <string>
#include <string_view>

#include "common/base/bytes.h"

namespace ferry::llm {

class SerialWriter {
 public:
  void U8(uint8_t value) { bytes_.push_back(value); }
  void U16(uint16_t value) {
    U8(static_cast<uint8_t>(value));
    U8(static_cast<uint8_t>(value >> 8));
  }
  void U32(uint32_t value) {
    U16(static_cast<uint16_t>(value));
    U16(static_cast<uint16_t>(value >> 16));
  }
  void F32(float value) { U32(std::bit_cast<uint32_t>(value)); }
  void F64(double value) {
    const auto bits = std::bit_cast<uint64_t>(value);
    U32(static_cast<uint32_t>(bits));
    U32(static_cast<uint32_t>(bits >> 32));
  }
  void Raw(std::string_view text) { bytes_.insert(bytes_.end(), text.begin(), text.end()); }
  void Text(std::string_view text) {  // its length, then itself
    U32(static_cast<uint32_t>(text.size()));
    Raw(text);
  }
  Bytes Take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

// Reads what SerialWriter wrote; never behind the end: ok() turns false and all that is read after
// it is zero or empty.
class SerialReader {
 public:
  explicit SerialReader(ByteView bytes) : bytes_(bytes) {}
  uint8_t U8() { return Has(1) ? bytes_[at_++] : 0; }
  uint16_t U16() {
    if (!Has(2)) return 0;
    at_ += 2;
    return static_cast<uint16_t>(bytes_[at_ - 2] | bytes_[at_ - 1] << 8);
  }
  uint32_t U32() {
    if (!Has(4)) return 0;
    at_ += 4;
    return GetU32(bytes_.data() + at_ - 4);
  }
  float F32() { return std::bit_cast<float>(U32()); }
  double F64() {
    const uint64_t low = U32();
    return std::bit_cast<double>(uint64_t{U32()} << 32 | low);
  }
  std::string_view Raw(size_t size) {
    if (!Has(size)) return {};
    at_ += size;
    return AsText(bytes_.subspan(at_ - size, size));
  }
  std::string_view Text() { return Raw(U32()); }
  // A count of things that take at least `bytes_each`; not ok when so many cannot follow.
  size_t Count(size_t bytes_each) {
    const size_t count = U32();
    if (count > left() / bytes_each) ok_ = false;
    return ok_ ? count : 0;
  }
  bool ok() const { return ok_; }
  size_t at() const { return at_; }
  size_t left() const { return bytes_.size() - at_; }

 private:
  bool Has(size_t size) {
    if (size > left()) ok_ = false;
    return ok_;
  }

  ByteView bytes_;
  size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace ferry::llm
