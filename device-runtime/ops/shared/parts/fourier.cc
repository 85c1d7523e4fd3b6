#include "device-runtime/ops/shared/parts/fourier.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ferry::ops {
namespace {

// Fours, then a two in front, then odd primes.
std::vector<int64_t> FactorsOf(int64_t n) {
  std::vector<int64_t> factors;
  for (; n % 4 == 0; n /= 4) factors.push_back(4);
  if (n % 2 == 0) {
    n /= 2;
    factors.insert(factors.begin(), 2);
  }
  for (int64_t p = 3; p * p <= n; p += 2) {
    for (; n % p == 0; n /= p) factors.push_back(p);
  }
  if (n > 1) factors.push_back(n);
  return factors;
}

// Without the checks for infinities that std::complex's product makes.
template <typename T>
std::complex<T> Times(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace

Status CheckFourier(int64_t n) {
  if (n < 1) return Status::Of(Code::kShapeMismatch, "a transform of {} elements", n);
  if (n > kMaxFourier || (n > 1 ? FactorsOf(n).back() : 1) * n > kMaxFourierWork) {
    return Status::Of(Code::kLimitExceeded, "a transform of {} elements", n);
  }
  return OkStatus();
}

template <typename T>
Fourier<T>::Fourier(int64_t n, bool inverse)
    : n_(n),
      sign_(inverse ? T{1} : T{-1}),
      factors_(FactorsOf(n)),
      roots_(static_cast<size_t>(n)),
      spare_(static_cast<size_t>(n)) {
  const double turn = (inverse ? 2 : -2) * std::numbers::pi / static_cast<double>(n);
  for (int64_t k = 0; k < n; ++k) {
    const double angle = turn * static_cast<double>(k);
    roots_[static_cast<size_t>(k)] = {static_cast<T>(std::cos(angle)),
                                      static_cast<T>(std::sin(angle))};
  }
}

template <typename T>
void Fourier<T>::Run(std::vector<std::complex<T>>& signal) {
  int64_t groups = 1;
  for (int64_t p : factors_) {
    Pass(p, groups, n_ / groups / p, signal.data(), spare_.data());
    signal.swap(spare_);
    groups *= p;
  }
}

template <typename T>
void Fourier<T>::Pass(int64_t p, int64_t groups, int64_t inner, const std::complex<T>* in,
                      std::complex<T>* out) const {
  std::vector<std::complex<T>> t(static_cast<size_t>(p));
  std::vector<std::complex<T>> results(t.size());
  for (int64_t k = 0; k < groups; ++k) {
    for (int64_t i = 0; i < inner; ++i) {
      for (int64_t j = 0; j < p; ++j) t[static_cast<size_t>(j)] = in[i + inner * (j + p * k)];
      if (p == 2) {
        Two(t.data());
      } else if (p == 4) {
        Four(t.data());
      } else {
        Odd(p, t.data(), results.data());
        t.swap(results);
      }
      for (int64_t m = 0; m < p; ++m) {
        const auto root = static_cast<size_t>(m * i * groups);
        const std::complex<T> value = t[static_cast<size_t>(m)];
        out[i + inner * (k + groups * m)] = m * i == 0 ? value : Times(value, roots_[root]);
      }
    }
  }
}

template <typename T>
void Fourier<T>::Two(std::complex<T>* t) const {
  const std::complex<T> first = t[0];
  t[0] = first + t[1];
  t[1] = first - t[1];
}

template <typename T>
void Fourier<T>::Four(std::complex<T>* t) const {
  const std::complex<T> even = t[0] + t[2];
  const std::complex<T> even_rest = t[0] - t[2];
  const std::complex<T> odd = t[1] + t[3];
  const std::complex<T> difference = t[1] - t[3];
  const std::complex<T> turned = {-sign_ * difference.imag(), sign_ * difference.real()};
  t[0] = even + odd;
  t[1] = even_rest + turned;
  t[2] = even - odd;
  t[3] = even_rest - turned;
}

// Results m and p - m share their products.
template <typename T>
void Fourier<T>::Odd(int64_t p, std::complex<T>* t, std::complex<T>* out) const {
  for (int64_t j = 1; j <= p / 2; ++j) {
    const std::complex<T> first = t[j];
    t[j] = first + t[p - j];
    t[p - j] = first - t[p - j];
  }
  out[0] = t[0];
  for (int64_t j = 1; j <= p / 2; ++j) out[0] += t[j];
  for (int64_t m = 1; m <= p / 2; ++m) {
    std::complex<T> sum = t[0];
    std::complex<T> turned = 0;
    for (int64_t j = 1; j <= p / 2; ++j) {
      const std::complex<T> root = roots_[static_cast<size_t>(m * j % p * (n_ / p))];
      const std::complex<T> difference = t[p - j];
      sum += std::complex<T>(root.real() * t[j].real(), root.real() * t[j].imag());
      turned +=
          std::complex<T>(-(root.imag() * difference.imag()), root.imag() * difference.real());
    }
    out[m] = sum + turned;
    out[p - m] = sum - turned;
  }
}

template class Fourier<float>;
template class Fourier<double>;

}  // namespace ferry::ops
