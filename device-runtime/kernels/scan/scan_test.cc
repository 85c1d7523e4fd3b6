#include "device-runtime/kernels/scan/scan.h"

#include "device-runtime/kernels/testing/testing.h"

namespace ferry::kernels {
namespace {

using tensor::DType;
using testing::Numbers;
using testing::SplitParallel;

TEST(ScanTest, RunningSumsAndProducts) {
  Numbers numbers(95);
  for (int round = 0; round < 64; ++round) {
    const ScanShape s{numbers.Whole(1, 3), numbers.Whole(1, 9), numbers.Whole(1, 4),
                      (round & 1) != 0,    (round & 2) != 0,    (round & 4) != 0};
    std::vector<int16_t> x;
    for (int64_t i = 0; i < s.outer * s.size * s.inner; ++i) {
      x.push_back(static_cast<int16_t>(numbers.Whole(-3, 3)));
    }
    for (int width = 1; width <= 3; ++width) {
      SplitParallel parallel(width);
      std::vector<int16_t> y(x.size());
      ASSERT_TRUE(Scan(parallel, DType::kI16, s, x.data(), y.data()));
      for (int64_t i = 0; i < static_cast<int64_t>(x.size()); ++i) {
        const int64_t inner = i % s.inner, at = i / s.inner % s.size, outer = i / s.inner / s.size;
        int64_t want = s.product ? 1 : 0;
        for (int64_t k = 0; k < s.size; ++k) {
          const bool before = s.reverse ? k > at : k < at;
          if (!before && (k != at || s.exclusive)) continue;
          const int64_t value = x[(outer * s.size + k) * s.inner + inner];
          want = s.product ? want * value : want + value;
        }
        ASSERT_EQ(y[i], static_cast<int16_t>(want));
      }
    }
  }
}

}  // namespace
}  // namespace ferry::kernels
