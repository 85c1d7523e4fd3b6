#include "device-runtime/ops/shared/parts/fourier.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace ferry::ops {
namespace {

template <typename T>
void CompareWithSums(int64_t n, bool inverse, double tolerance) {
  std::vector<std::complex<T>> signal;
  for (int64_t i = 0; i < n; ++i) {
    signal.emplace_back(static_cast<T>(std::sin(3.0 * static_cast<double>(i))),
                        static_cast<T>(std::cos(static_cast<double>(i * i % 17))));
  }
  auto result = signal;
  Fourier<T>(n, inverse).Run(result);
  for (int64_t k = 0; k < n; ++k) {
    std::complex<double> sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      const double turn = 2 * std::numbers::pi * static_cast<double>(i * k % n);
      sum += std::complex<double>(signal[static_cast<size_t>(i)]) *
             std::polar(1.0, (inverse ? turn : -turn) / static_cast<double>(n));
    }
    const auto one = std::complex<double>(result[static_cast<size_t>(k)]);
    EXPECT_LE(std::abs(one - sum), tolerance * static_cast<double>(n)) << n << " at " << k;
  }
}

TEST(Fourier, EqualsTheSums) {
  for (int64_t n = 1; n <= 72; ++n) {
    for (bool inverse : {false, true}) {
      CompareWithSums<double>(n, inverse, 1e-14);
      CompareWithSums<float>(n, inverse, 1e-6);
    }
  }
  CompareWithSums<double>(400, false, 1e-14);
  CompareWithSums<double>(1024, true, 1e-14);
}

TEST(Fourier, Limits) {
  EXPECT_TRUE(CheckFourier(1).ok());
  EXPECT_TRUE(CheckFourier(kMaxFourier).ok());
  EXPECT_EQ(CheckFourier(0).code(), Code::kShapeMismatch);
  EXPECT_EQ(CheckFourier(kMaxFourier + 1).code(), Code::kLimitExceeded);
  EXPECT_EQ(CheckFourier(4194301).code(), Code::kLimitExceeded);  // a prime
}

}  // namespace
}  // namespace ferry::ops
