// Arithmetic on elements without loss: floating point as double, integers (and bool) as int64_t or
// uint64_t, which wrap. And which dtypes an operator takes.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "device-runtime/ops/node_context.h"

namespace ferry::ops {

// Calls f with a value of the type that holds all elements of `dtype` (no strings).
template <typename F>
auto WithExact(DType dtype, F&& f) {
  if (tensor::IsFloat(dtype)) return f(double{});
  return tensor::IsUnsigned(dtype) ? f(uint64_t{}) : f(int64_t{});
}

template <typename T>
T Get(const Tensor& t, int64_t i) {
  if constexpr (std::is_same_v<T, double>) return t.Number(i);
  return static_cast<T>(t.Integer(i));
}
// Integers keep their low bits.
template <typename T>
void Put(Tensor& t, int64_t i, T value) {
  if constexpr (std::is_same_v<T, double>) {
    t.SetNumber(i, value);
  } else {
    t.SetInteger(i, static_cast<int64_t>(value));
  }
}

// Like +, - and *, but signed integers wrap too.
template <typename T, typename F>
T Wrapping(T x, T y, F&& f) {
  if constexpr (std::is_same_v<T, double>) {
    return f(x, y);
  } else {
    return static_cast<T>(f(static_cast<uint64_t>(x), static_cast<uint64_t>(y)));
  }
}
template <typename T>
T Plus(T x, T y) {
  return Wrapping(x, y, [](auto a, auto b) { return a + b; });
}
template <typename T>
T Minus(T x, T y) {
  return Wrapping(x, y, [](auto a, auto b) { return a - b; });
}
template <typename T>
T Times(T x, T y) {
  return Wrapping(x, y, [](auto a, auto b) { return a * b; });
}
template <typename T>
bool IsNegative(T x) {
  if constexpr (std::is_unsigned_v<T>) {
    return false;
  } else {
    return x < T{};
  }
}
template <typename T>
T Magnitude(T x) {
  if constexpr (std::is_same_v<T, double>) return std::abs(x);
  return IsNegative(x) ? Minus(T{}, x) : x;
}
template <typename T>
bool IsNan(T x) {
  if constexpr (std::is_same_v<T, double>) return std::isnan(x);
  return false;
}
// NaN if there is one.
template <typename T>
T Larger(T x, T y) {
  return IsNan(x) || x > y ? x : y;
}
template <typename T>
T Smaller(T x, T y) {
  return IsNan(x) || x < y ? x : y;
}

// The ends of a dtype's range, infinite for floating point.
template <typename T>
T LowestOf(DType dtype) {
  if constexpr (std::is_same_v<T, double>) return -std::numeric_limits<double>::infinity();
  if (tensor::IsUnsigned(dtype)) return T{};
  return static_cast<T>(~uint64_t{0} << (tensor::IntegerBits(dtype) - 1));
}
template <typename T>
T HighestOf(DType dtype) {
  if constexpr (std::is_same_v<T, double>) return std::numeric_limits<double>::infinity();
  if (dtype == DType::kBool) return T{1};
  const int bits = tensor::IntegerBits(dtype) - (tensor::IsUnsigned(dtype) ? 0 : 1);
  return static_cast<T>(~uint64_t{0} >> (64 - bits));
}

enum class Kinds : uint8_t { Any, Number, Float, Integer, Unsigned, Bool, NumberOrBool };

constexpr bool Takes(Kinds kinds, DType d) {
  const bool number = d != DType::kBool && d != DType::kString;
  switch (kinds) {
    case Kinds::Any:
      return true;
    case Kinds::Number:
      return number;
    case Kinds::Float:
      return tensor::IsFloat(d);
    case Kinds::Integer:
      return tensor::IsInteger(d);
    case Kinds::Unsigned:
      return tensor::IsInteger(d) && tensor::IsUnsigned(d);
    case Kinds::Bool:
      return d == DType::kBool;
    case Kinds::NumberOrBool:
      return d != DType::kString;
  }
  return false;
}

// kShapeMismatch when input `i` has a dtype that the operator does not take.
inline Status CheckKinds(const NodeContext& c, int i, Kinds kinds) {
  const DType d = c.Input(i).dtype;
  if (Takes(kinds, d)) return OkStatus();
  return Status::Of(Code::kShapeMismatch, "input {} cannot be {}", i, tensor::DTypeName(d));
}

// kShapeMismatch unless input `i` holds one integer.
inline Status CheckOneInteger(const NodeContext& c, int i) {
  FERRY_TRY(CheckKinds(c, i, Kinds::Integer));
  if (c.InputShape(i).elements() == 1) return OkStatus();
  return Status::Of(Code::kShapeMismatch, "input {} must be one number", i);
}

}  // namespace ferry::ops
