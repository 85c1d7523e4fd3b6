// The functions of binary.inc that are more than one expression, for T double, int64_t or uint64_t.
#pragma once

#include <functional>

#include "device-runtime/ops/shared/numbers/exact.h"

namespace ferry::ops {

template <typename T>
inline constexpr bool kIsDouble = std::is_same_v<T, double>;

// Integers truncate; y is not 0 then. The lowest integer divided by -1 wraps.
template <typename T>
T Quotient(T x, T y) {
  if constexpr (std::is_signed_v<T> && !kIsDouble<T>) {
    if (y == -1) return Minus(T{}, x);
  }
  return x / y;
}

// What truncated division leaves: the sign is that of x.
template <typename T>
T Remainder(T x, T y) {
  if constexpr (kIsDouble<T>) {
    return std::fmod(x, y);
  } else if constexpr (std::is_signed_v<T>) {
    return y == -1 ? 0 : x % y;
  } else {
    return x % y;
  }
}

// The same of division that rounds down: the sign is that of y.
template <typename T>
T FloorRemainder(T x, T y) {
  const T r = Remainder(x, y);
  return r != T{} && IsNegative(r) != IsNegative(y) ? r + y : r;
}

// Integers by squaring, wrapping; with a negative exponent the quotient 1 / x^-y, truncated.
template <typename T>
T Power(T x, T y) {
  if constexpr (kIsDouble<T>) {
    return std::pow(x, y);
  } else {
    if (IsNegative(y)) {
      const bool odd = (y & 1) != 0;
      if (x == T{1}) return 1;
      return Plus(x, T{1}) == T{} ? (odd ? x : T{1}) : T{};
    }
    T result = 1;
    for (auto left = static_cast<uint64_t>(y); left != 0; left >>= 1) {
      if (left & 1) result = Times(result, x);
      x = Times(x, x);
    }
    return result;
  }
}

template <typename T, typename F>
T Bits(T x, T y, F&& f) {
  return static_cast<T>(f(static_cast<uint64_t>(x), static_cast<uint64_t>(y)));
}
// All bits go beyond the type's width: 0.
template <typename T>
T ShiftLeft(T x, T y) {
  if (!(y < T{64})) return T{};
  return Bits(x, y, [](uint64_t a, uint64_t b) { return a << (b & 63); });
}
template <typename T>
T ShiftRight(T x, T y) {
  if (!(y < T{64})) return T{};
  return Bits(x, y, [](uint64_t a, uint64_t b) { return a >> (b & 63); });
}

}  // namespace ferry::ops
