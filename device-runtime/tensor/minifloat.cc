#include "device-runtime/tensor/minifloat.h"

#include <bit>
#include <cmath>
#include <limits>

namespace ferry::tensor {
namespace {

enum class Special : uint8_t { kIeee, kFn, kFnuz, kNone };
struct Format {
  int mantissa_bits, bias;
  uint8_t largest;  // its bits, without the sign
  uint8_t sign;     // the sign's bit
  Special special;
};

Format FormatOf(DType dtype) {
  switch (dtype) {
    case DType::kF8E4M3FN:
      return {3, 7, 0x7e, 0x80, Special::kFn};
    case DType::kF8E4M3FNUZ:
      return {3, 8, 0x7f, 0x80, Special::kFnuz};
    case DType::kF8E5M2:
      return {2, 15, 0x7b, 0x80, Special::kIeee};
    case DType::kF8E5M2FNUZ:
      return {2, 16, 0x7f, 0x80, Special::kFnuz};
    default:
      return {1, 1, 0x07, 0x08, Special::kNone};  // kF4E2M1
  }
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

float Magnitude(const Format& f, uint8_t bits) {
  const int exponent = bits >> f.mantissa_bits;
  const int mantissa = bits & ((1 << f.mantissa_bits) - 1);
  if (exponent == 0) return std::ldexp(static_cast<float>(mantissa), 1 - f.bias - f.mantissa_bits);
  const int significand = mantissa | 1 << f.mantissa_bits;
  return std::ldexp(static_cast<float>(significand), exponent - f.bias - f.mantissa_bits);
}

constexpr int kScaleBias = 127;  // of kF8E8M0

uint8_t ScaleOf(float value, bool saturate, MiniRounding rounding) {
  if (std::isnan(value)) return 0xff;
  value = std::abs(value);
  if (std::isinf(value)) return saturate ? 0xfe : 0xff;
  if (value == 0) return saturate ? 0 : 0xff;
  int exponent = 0;
  const float fraction = std::frexp(value, &exponent);  // in [0.5, 1)
  --exponent;
  const bool is_power = fraction == 0.5f;
  if (rounding == MiniRounding::kUp && !is_power) ++exponent;
  if (rounding == MiniRounding::kNearestEven && fraction >= 0.75f) ++exponent;
  const int bits = exponent + kScaleBias;
  if (bits > 0xfe) return saturate ? 0xfe : 0xff;
  if (bits < 0) return saturate ? 0 : 0xff;
  return static_cast<uint8_t>(bits);
}

}  // namespace

float MiniToFloat(DType dtype, uint8_t bits) {
  if (dtype == DType::kF8E8M0) return bits == 0xff ? kNan : std::ldexp(1.0f, bits - kScaleBias);
  const Format f = FormatOf(dtype);
  if (f.special == Special::kFnuz && bits == f.sign) return kNan;
  const uint8_t magnitude = bits & static_cast<uint8_t>(f.sign - 1);
  const bool negative = (bits & f.sign) != 0;
  float value = Magnitude(f, magnitude);
  if (magnitude > f.largest) {
    const bool infinite = f.special == Special::kIeee && magnitude == f.largest + 1;
    value = infinite ? std::numeric_limits<float>::infinity() : kNan;
  }
  return negative ? -value : value;
}

uint8_t FloatToMini(DType dtype, float value, bool saturate, MiniRounding rounding) {
  if (dtype == DType::kF8E8M0) return ScaleOf(value, saturate, rounding);
  const Format f = FormatOf(dtype);
  const uint8_t sign = std::signbit(value) ? f.sign : 0;
  const bool zero_is_unsigned = f.special == Special::kFnuz;
  const uint8_t nan = zero_is_unsigned ? f.sign : static_cast<uint8_t>(sign | (f.sign - 1));
  if (std::isnan(value)) return f.special == Special::kNone ? f.sign : nan;
  const float magnitude = std::abs(value);
  // The step between neighbours is 2^(e - mantissa bits), e at least the smallest normal exponent.
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  exponent = std::max(exponent - 1, 1 - f.bias);
  const float steps = std::isinf(magnitude)
                          ? magnitude
                          : std::nearbyint(std::ldexp(magnitude, f.mantissa_bits - exponent));
  const float rounded = std::ldexp(steps, exponent - f.mantissa_bits);
  if (rounded > Magnitude(f, f.largest)) {
    if (saturate || f.special == Special::kNone) return sign | f.largest;
    return f.special == Special::kIeee ? static_cast<uint8_t>(sign | (f.largest + 1)) : nan;
  }
  // `rounded` is exact, so its bits follow from its own exponent.
  std::frexp(rounded, &exponent);
  --exponent;
  uint8_t bits = 0;
  if (rounded != 0 && exponent >= 1 - f.bias) {
    const int significand = static_cast<int>(std::ldexp(rounded, f.mantissa_bits - exponent));
    bits = static_cast<uint8_t>(((exponent + f.bias) << f.mantissa_bits) |
                                (significand - (1 << f.mantissa_bits)));
  } else if (rounded != 0) {
    bits = static_cast<uint8_t>(std::ldexp(rounded, f.mantissa_bits + f.bias - 1));
  }
  return bits == 0 && zero_is_unsigned ? 0 : static_cast<uint8_t>(sign | bits);
}

}  // namespace ferry::tensor
