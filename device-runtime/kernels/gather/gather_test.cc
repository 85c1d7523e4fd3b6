#include "device-runtime/kernels/gather/gather.h"

#include "device-runtime/kernels/testing/testing.h"

namespace ferry::kernels {
namespace {

using testing::Numbers;
using testing::SplitParallel;

TEST(GatherTest, TakesSlicesAlsoFromTheEnd) {
  Numbers numbers(71);
  for (int round = 0; round < 60; ++round) {
    const int64_t outer = numbers.Whole(1, 4);
    const int64_t size = numbers.Whole(1, 9);
    const int64_t inner = numbers.Whole(1, 30);
    const int64_t count = numbers.Whole(0, 12);
    const std::vector<float> x = numbers.Reals(outer * size * inner);
    std::vector<int64_t> indices;
    for (int64_t i = 0; i < count; ++i) indices.push_back(numbers.Whole(-size, size - 1));
    for (int width = 1; width <= 3; ++width) {
      SplitParallel parallel(width);
      std::vector<float> y(static_cast<size_t>(outer * count * inner));
      ASSERT_TRUE(
          Gather(parallel, 4, outer, size, inner, count, indices.data(), x.data(), y.data()));
      for (int64_t i = 0; i < static_cast<int64_t>(y.size()); ++i) {
        const int64_t index = indices[i / inner % count];
        const int64_t at = (i / inner / count * size + (index < 0 ? index + size : index)) * inner;
        ASSERT_EQ(y[i], x[at + i % inner]);
      }
    }
  }
}

TEST(GatherTest, RefusesIndicesOutside) {
  const float x[3] = {1, 2, 3};
  float y[1];
  for (int64_t index : {int64_t{3}, int64_t{-4}, std::numeric_limits<int64_t>::min()}) {
    EXPECT_FALSE(Gather(sys::SerialParallel(), 4, 1, 3, 1, 1, &index, x, y));
  }
}

}  // namespace
}  // namespace ferry::kernels
