// Element types of tensors. The numbers are Ferry's own and stable: model files store them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/base/status.h"

namespace ferry::tensor {

enum class DType : uint8_t {
  kF32 = 1,
  kF64 = 2,
  kF16 = 3,
  kI8 = 4,
  kU8 = 5,
  kI16 = 6,
  kI32 = 7,
  kI64 = 8,
  kBool = 9,  // one byte, 0 or 1
};

// Bytes of one element, 1 to 8.
constexpr size_t DTypeSize(DType dtype) {
  switch (dtype) {
    case DType::kF64:
    case DType::kI64:
      return 8;
    case DType::kF32:
    case DType::kI32:
      return 4;
    case DType::kF16:
    case DType::kI16:
      return 2;
    default:
      return 1;
  }
}

// "f32", "i64", "bool", ...
std::string_view DTypeName(DType dtype);
// The inverse of DTypeName; kInvalidArgument names the unknown text.
Result<DType> ParseDType(std::string_view name);
// Whether a number read from a file is a DType.
bool IsDType(uint8_t number);
inline bool IsFloat(DType d) {
  return d == DType::kF32 || d == DType::kF64 || d == DType::kF16;
}

// The DType of a C++ type: DTypeOf<float> == DType::kF32.
template <typename T>
inline constexpr DType DTypeOf = DType{};
template <>
inline constexpr DType DTypeOf<float> = DType::kF32;
template <>
inline constexpr DType DTypeOf<double> = DType::kF64;
template <>
inline constexpr DType DTypeOf<int8_t> = DType::kI8;
template <>
inline constexpr DType DTypeOf<uint8_t> = DType::kU8;
template <>
inline constexpr DType DTypeOf<int16_t> = DType::kI16;
template <>
inline constexpr DType DTypeOf<int32_t> = DType::kI32;
template <>
inline constexpr DType DTypeOf<int64_t> = DType::kI64;
template <>
inline constexpr DType DTypeOf<bool> = DType::kBool;

// IEEE 754 half precision bits to and from float; rounds to nearest even, keeps infinities and NaN.
float HalfToFloat(uint16_t half);
uint16_t FloatToHalf(float value);

}  // namespace ferry::tensor
