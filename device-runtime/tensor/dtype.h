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
  kBF16 = 10,
  kU16 = 11,
  kU32 = 12,
  kU64 = 13,
  kString = 14,  // a StringRef (strings.h)
  kF8E4M3FN = 15,
  kF8E4M3FNUZ = 16,
  kF8E5M2 = 17,
  kF8E5M2FNUZ = 18,
  kF8E8M0 = 19,
  kF4E2M1 = 20,  // this and the next four: one element a byte in memory, in its low bits
  kI4 = 21,
  kU4 = 22,
  kI2 = 23,
  kU2 = 24,
};
inline constexpr DType kLastDType = DType::kU2;

// Bytes of one element in memory, 1 to 8.
constexpr size_t DTypeSize(DType dtype) {
  switch (dtype) {
    case DType::kF64:
    case DType::kI64:
    case DType::kU64:
    case DType::kString:
      return 8;
    case DType::kF32:
    case DType::kI32:
    case DType::kU32:
      return 4;
    case DType::kF16:
    case DType::kBF16:
    case DType::kI16:
    case DType::kU16:
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
// Floating point, of 4 bits to 64.
constexpr bool IsFloat(DType d) {
  return d == DType::kF32 || d == DType::kF64 || d == DType::kF16 || d == DType::kBF16 ||
         (d >= DType::kF8E4M3FN && d <= DType::kF4E2M1);
}
// Signed and unsigned integers of 2 bits to 64; not bool.
constexpr bool IsInteger(DType d) {
  return !IsFloat(d) && d != DType::kBool && d != DType::kString;
}
constexpr bool IsUnsigned(DType d) {
  return d == DType::kU8 || d == DType::kU16 || d == DType::kU32 || d == DType::kU64 ||
         d == DType::kU4 || d == DType::kU2 || d == DType::kBool;
}
// Value bits of an integer type: 8 for i8 and u8.
int IntegerBits(DType dtype);

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
inline constexpr DType DTypeOf<uint16_t> = DType::kU16;
template <>
inline constexpr DType DTypeOf<uint32_t> = DType::kU32;
template <>
inline constexpr DType DTypeOf<uint64_t> = DType::kU64;
template <>
inline constexpr DType DTypeOf<bool> = DType::kBool;

// IEEE 754 half precision bits to and from float; rounds to nearest even, keeps infinities and NaN.
float HalfToFloat(uint16_t half);
uint16_t FloatToHalf(float value);
// bfloat16 bits to and from float, the same.
float BFloat16ToFloat(uint16_t bits);
uint16_t FloatToBFloat16(float value);

}  // namespace ferry::tensor
