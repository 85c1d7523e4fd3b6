#include "device-runtime/tensor/dtype.h"

#include <bit>
#include <cmath>

namespace ferry::tensor {
namespace {

struct Row {
  DType dtype;
  std::string_view name;
};
constexpr Row kRows[] = {
    {DType::kF32, "f32"}, {DType::kF64, "f64"}, {DType::kF16, "f16"},
    {DType::kI8, "i8"},   {DType::kU8, "u8"},   {DType::kI16, "i16"},
    {DType::kI32, "i32"}, {DType::kI64, "i64"}, {DType::kBool, "bool"},
};

}  // namespace

std::string_view DTypeName(DType dtype) {
  for (const Row& row : kRows) {
    if (row.dtype == dtype) return row.name;
  }
  return "?";
}

Result<DType> ParseDType(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.dtype;
  }
  return Status::Of(Code::kInvalidArgument, "unknown dtype '{}'", name);
}

bool IsDType(uint8_t number) {
  return number >= static_cast<uint8_t>(DType::kF32) &&
         number <= static_cast<uint8_t>(DType::kBool);
}

float HalfToFloat(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  const uint32_t exponent = (half >> 10) & 31;
  const uint32_t fraction = half & 1023;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
    return sign ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
}

uint16_t FloatToHalf(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  // 65520 and above round to infinity.
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude < 0x38800000) {  // below 2^-14: a subnormal half, in units of 2^-24
    const float units = std::bit_cast<float>(magnitude) * 16777216.0f;
    return sign | static_cast<uint16_t>(std::nearbyint(units));
  }
  const uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
  return sign | static_cast<uint16_t>((rounded - 0x38000000) >> 13);
}

}  // namespace ferry::tensor
