// How the bytes of a region are read as numbers, and what is known of a number's size before its
// difference is. Private to common/package.
#pragma once

#include <cstdint>

namespace ferry::package::delta {

// How a segment of the new file comes about. The values are in the format.
enum class Mode : uint8_t {
  kEqual = 0,    // as it is in the base
  kLiteral = 1,  // from the chunk's zstd frame
  kInt8 = 2,     // the base plus differences of one byte, mod 2^8
  kInt16 = 3,
  kInt32 = 4,
  kF16 = 5,  // differences in the order of the numbers, not of their bits
  kBf16 = 6,
  kF32 = 7,
};
inline constexpr uint8_t kModes = 8;

inline constexpr bool IsNumeric(Mode mode) {
  return mode >= Mode::kInt8;
}
// Bytes of one number.
inline constexpr unsigned WidthOf(Mode mode) {
  switch (mode) {
    case Mode::kInt16:
    case Mode::kF16:
    case Mode::kBf16:
      return 2;
    case Mode::kInt32:
    case Mode::kF32:
      return 4;
    default:
      return 1;
  }
}
inline constexpr bool IsFloat(Mode mode) {
  return mode >= Mode::kF16;
}

inline uint32_t ReadNumber(const uint8_t* at, unsigned width) {
  uint32_t value = 0;
  for (unsigned i = 0; i < width; ++i) value |= uint32_t{at[i]} << (8 * i);
  return value;
}
inline void WriteNumber(uint8_t* at, unsigned width, uint32_t value) {
  for (unsigned i = 0; i < width; ++i) at[i] = static_cast<uint8_t>(value >> (8 * i));
}

// Sign and magnitude to a number that grows with the float's value, and back: bijections of `bits`
// bits. Neighbouring floats become neighbouring integers, across zero too.
inline uint32_t ToOrdered(uint32_t value, unsigned bits) {
  const uint32_t top = uint32_t{1} << (bits - 1);
  const uint32_t mask = top | (top - 1);
  return (value & top) != 0 ? ~value & mask : value | top;
}
inline uint32_t FromOrdered(uint32_t value, unsigned bits) {
  const uint32_t top = uint32_t{1} << (bits - 1);
  const uint32_t mask = top | (top - 1);
  return (value & top) != 0 ? value & (top - 1) : ~value & mask;
}

// target - base as a signed number of the mode's width, wrapped around.
inline int32_t DifferenceOf(Mode mode, uint32_t base, uint32_t target) {
  const unsigned bits = 8 * WidthOf(mode);
  const uint32_t difference =
      IsFloat(mode) ? ToOrdered(target, bits) - ToOrdered(base, bits) : target - base;
  return static_cast<int32_t>(difference << (32 - bits)) >> (32 - bits);
}
// The inverse: base + difference.
inline uint32_t Apply(Mode mode, uint32_t base, int32_t difference) {
  const unsigned bits = 8 * WidthOf(mode);
  const uint32_t mask = bits == 32 ? ~uint32_t{0} : (uint32_t{1} << bits) - 1;
  const auto step = static_cast<uint32_t>(difference);
  if (!IsFloat(mode)) return (base + step) & mask;
  return FromOrdered((ToOrdered(base, bits) + step) & mask, bits);
}

// The exponent of a float's spacing (what a difference of 1 stands for), from 0 to kMaxScale, and
// one class more of the number itself for integers. Floats below 2^-27 count as 2^-27.
inline constexpr unsigned kMaxScale = 28;
inline unsigned ScaleOf(Mode mode, uint32_t base) {
  constexpr unsigned kSmallest = 100;  // 127 - 27: exponents of 8 bits
  unsigned exponent = 0;
  switch (mode) {
    case Mode::kF16:
      exponent = base >> 10 & 31;
      // Subnormals have the spacing of the next.
      return exponent == 0 ? 0 : exponent - 1 < kMaxScale ? exponent - 1 : kMaxScale;
    case Mode::kBf16:
      exponent = base >> 7 & 255;
      break;
    case Mode::kF32:
      exponent = base >> 23 & 255;
      break;
    default:
      return 0;
  }
  if (exponent <= kSmallest) return 0;
  return exponent - kSmallest < kMaxScale ? exponent - kSmallest : kMaxScale;
}

}  // namespace ferry::package::delta
