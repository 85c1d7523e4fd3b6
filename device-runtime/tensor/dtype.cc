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
    {DType::kF32, "f32"},
    {DType::kF64, "f64"},
    {DType::kF16, "f16"},
    {DType::kI8, "i8"},
    {DType::kU8, "u8"},
    {DType::kI16, "i16"},
    {DType::kI32, "i32"},
    {DType::kI64, "i64"},
    {DType::kBool, "bool"},
    {DType::kBF16, "bf16"},
    {DType::kU16, "u16"},
    {DType::kU32, "u32"},
    {DType::kU64, "u64"},
    {DType::kString, "string"},
    {DType::kF8E4M3FN, "f8e4m3fn"},
    {DType::kF8E4M3FNUZ, "f8e4m3fnuz"},
    {DType::kF8E5M2, "f8e5m2"},
    {DType::kF8E5M2FNUZ, "f8e5m2fnuz"},
    {DType::kF8E8M0, "f8e8m0"},
    {DType::kF4E2M1, "f4e2m1"},
    {DType::kI4, "i4"},
    {DType::kU4, "u4"},
    {DType::kI2, "i2"},
    {DType::kU2, "u2"},
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
  return number >= static_cast<uint8_t>(DType::kF32) && number <= static_cast<uint8_t>(kLastDType);
}

int IntegerBits(DType dtype) {
  switch (dtype) {
    case DType::kI2:
    case DType::kU2:
      return 2;
    case DType::kI4:
    case DType::kU4:
      return 4;
    default:
      return static_cast<int>(8 * DTypeSize(dtype));
  }
}

float BFloat16ToFloat(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

uint16_t FloatToBFloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
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
