// Discrete Fourier transforms of any length: decimation in frequency by the length's prime factors
// (and 4), without bit reversal (Stockham's order); O(n times their sum). Source: Temperton,
// "Self-sorting mixed-radix fast Fourier transforms" (1983).
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/status.h"

namespace ferry::ops {

// Longer ones take memory that nobody counts.
inline constexpr int64_t kMaxFourier = 1 << 22;
// Products of the length and its largest prime factor above this would take minutes.
inline constexpr int64_t kMaxFourierWork = int64_t{1} << 34;
// kLimitExceeded when a length passes them, kShapeMismatch below 1.
Status CheckFourier(int64_t n);

// T is float or double: what is added and multiplied.
template <typename T>
class Fourier {
 public:
  // Transforms of n >= 1 elements; `inverse` conjugates the roots (it does not divide by n).
  Fourier(int64_t n, bool inverse);
  // Transforms `signal`, n elements, in place.
  void Run(std::vector<std::complex<T>>& signal);

 private:
  // One factor p: `groups` products of the factors before it, `inner` of those behind.
  void Pass(int64_t p, int64_t groups, int64_t inner, const std::complex<T>* in,
            std::complex<T>* out) const;
  void Two(std::complex<T>* t) const;
  void Four(std::complex<T>* t) const;
  void Odd(int64_t p, std::complex<T>* t, std::complex<T>* out) const;

  int64_t n_;
  T sign_;  // of the roots' imaginary parts: 1 inverse, -1 forward
  std::vector<int64_t> factors_;
  std::vector<std::complex<T>> roots_, spare_;
};

}  // namespace ferry::ops
