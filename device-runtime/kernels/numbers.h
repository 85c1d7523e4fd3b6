// Kernels of any number type: dispatch from a dtype, and arithmetic in which integers wrap.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "device-runtime/tensor/dtype.h"

namespace ferry::kernels {

// Calls f(T{}) with the C++ type of a dtype; false, and no call, for texts and for floats and
// integers that no C++ type is. A bool is a uint8_t.
template <typename F>
bool WithNumber(tensor::DType dtype, F&& f) {
  using tensor::DType;
  switch (dtype) {
    case DType::kF32:
      return f(float{}), true;
    case DType::kF64:
      return f(double{}), true;
    case DType::kI8:
      return f(int8_t{}), true;
    case DType::kU8:
    case DType::kBool:
      return f(uint8_t{}), true;
    case DType::kI16:
      return f(int16_t{}), true;
    case DType::kU16:
      return f(uint16_t{}), true;
    case DType::kI32:
      return f(int32_t{}), true;
    case DType::kU32:
      return f(uint32_t{}), true;
    case DType::kI64:
      return f(int64_t{}), true;
    case DType::kU64:
      return f(uint64_t{}), true;
    default:
      return false;
  }
}

// What sums of T run in: floats in double, integers in 64 bits.
template <typename T>
using WideOf = std::conditional_t<std::is_floating_point_v<T>, double,
                                  std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;

template <typename T>
T Sum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return a + b;
  return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
template <typename T>
T Product(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return a * b;
  return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
template <typename T>
bool IsNan(T x) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(x);
  return false;
}
// NaN if there is one.
template <typename T>
T Larger(T a, T b) {
  return IsNan(a) || a > b ? a : b;
}
template <typename T>
T Smaller(T a, T b) {
  return IsNan(a) || a < b ? a : b;
}
template <typename T>
T Lowest() {
  if constexpr (std::is_floating_point_v<T>) return -std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::min();
}
template <typename T>
T Highest() {
  if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::max();
}
// -1, 0 or 1; NaN equals itself and is the greatest.
template <typename T>
int Order(T x, T y) {
  if (IsNan(x) || IsNan(y)) return static_cast<int>(IsNan(x)) - static_cast<int>(IsNan(y));
  return static_cast<int>(x > y) - static_cast<int>(x < y);
}

}  // namespace ferry::kernels
