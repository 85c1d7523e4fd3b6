#include "device-runtime/kernels/softmax/softmax.h"

#include "device-runtime/kernels/testing/testing.h"

namespace ferry::kernels {
namespace {

using testing::Numbers;
using testing::Output;

std::vector<double> Naive(int64_t outer, int64_t size, int64_t inner, bool logarithm,
                          const std::vector<float>& x) {
  std::vector<double> y(x.size());
  for (int64_t row = 0; row < outer * inner; ++row) {
    const int64_t first = row / inner * size * inner + row % inner;
    double max = -1e300;
    double sum = 0;
    for (int64_t i = 0; i < size; ++i) {
      max = std::max(max, static_cast<double>(x[first + i * inner]));
    }
    for (int64_t i = 0; i < size; ++i) {
      sum += std::exp(static_cast<double>(x[first + i * inner]) - max);
    }
    for (int64_t i = 0; i < size; ++i) {
      const double shifted = static_cast<double>(x[first + i * inner]) - max;
      y[first + i * inner] = logarithm ? shifted - std::log(sum) : std::exp(shifted) / sum;
    }
  }
  return y;
}

TEST(SoftmaxTest, AgreesWithTheNaiveSoftmaxOnRandomShapes) {
  Numbers numbers(41);
  for (int round = 0; round < 80; ++round) {
    const int64_t outer = numbers.Whole(1, 5);
    const int64_t size = numbers.Whole(1, 70);
    const int64_t inner = round % 2 == 0 ? 1 : numbers.Whole(1, 150);
    const bool logarithm = round % 4 >= 2;
    const float scale = numbers.Pick({1.0f, 30.0f, 1000.0f});
    const std::vector<float> x = numbers.Reals(outer * size * inner, -scale, scale);
    SCOPED_TRACE(::testing::Message() << outer << " " << size << " " << inner);
    ASSERT_NO_FATAL_FAILURE(testing::CheckEverywhere(
        Naive(outer, size, inner, logarithm, x), 2e-6,
        [&](const KernelTable& table, sys::Parallel& parallel) {
          Output y(outer * size * inner);
          Softmax(table, parallel, outer, size, inner, logarithm, x.data(), y.data());
          return y.Take();
        }));
  }
}

TEST(SoftmaxTest, InPlace) {
  Numbers numbers(42);
  const std::vector<float> x = numbers.Reals(3 * 19);
  for (int64_t inner : {1, 3}) {
    ASSERT_NO_FATAL_FAILURE(testing::CheckEverywhere(
        Naive(3 / inner, 19, inner, false, x), 2e-6,
        [&](const KernelTable& table, sys::Parallel& parallel) {
          std::vector<float> y = x;
          Softmax(table, parallel, 3 / inner, 19, inner, false, y.data(), y.data());
          return y;
        }));
  }
}

}  // namespace
}  // namespace ferry::kernels
