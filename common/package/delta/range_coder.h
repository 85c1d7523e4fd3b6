// A binary arithmetic coder with 16-bit probabilities. Source: M. Mahoney, "Data Compression
// Explained", section 3.2 (the carry-free coder of lpaq). Private to common/package.
#pragma once

#include "common/base/bytes.h"

namespace ferry::package::delta {

inline constexpr uint32_t kOne = 65536;  // probability 1
inline constexpr uint32_t kHalf = kOne / 2;

// Writes bits into `out`. `probability` (1 to kOne - 1) is that of a set bit.
class RangeEncoder {
 public:
  explicit RangeEncoder(Bytes& out) : out_(out) {}
  uint32_t Code(uint32_t bit, uint32_t probability) {
    const uint32_t middle =
        low_ + static_cast<uint32_t>(uint64_t{high_ - low_} * probability >> 16);
    if (bit != 0) {
      high_ = middle;
    } else {
      low_ = middle + 1;
    }
    while (((low_ ^ high_) & 0xFF000000) == 0) {
      out_.push_back(static_cast<uint8_t>(high_ >> 24));
      low_ <<= 8;
      high_ = high_ << 8 | 255;
    }
    return bit;
  }
  void Finish() {
    for (int i = 0; i < 4; ++i, low_ <<= 8) out_.push_back(static_cast<uint8_t>(low_ >> 24));
  }

 private:
  Bytes& out_;
  uint32_t low_ = 0, high_ = 0xFFFFFFFF;
};

// Reads them again. Past the end of `in` come zeros, which `exact` tells.
class RangeDecoder {
 public:
  explicit RangeDecoder(ByteView in) : in_(in) {
    for (int i = 0; i < 4; ++i) Shift();
  }
  uint32_t Code(uint32_t, uint32_t probability) {
    const uint32_t middle =
        low_ + static_cast<uint32_t>(uint64_t{high_ - low_} * probability >> 16);
    const uint32_t bit = code_ <= middle ? 1 : 0;
    if (bit != 0) {
      high_ = middle;
    } else {
      low_ = middle + 1;
    }
    while (((low_ ^ high_) & 0xFF000000) == 0) {
      low_ <<= 8;
      high_ = high_ << 8 | 255;
      Shift();
    }
    return bit;
  }
  // Whether what was read is what an encoder wrote: no byte fewer and none more.
  bool exact() const { return at_ == in_.size(); }

 private:
  void Shift() {
    code_ = code_ << 8 | (at_ < in_.size() ? in_[at_] : 0);
    ++at_;
  }
  ByteView in_;
  size_t at_ = 0;
  uint32_t low_ = 0, high_ = 0xFFFFFFFF, code_ = 0;
};

}  // namespace ferry::package::delta
