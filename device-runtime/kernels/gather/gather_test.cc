#include "device-runtime/kernels/gather/gather.h"

#include "device-runtime/kernels/testing/testing.h"

namespace ferry::kernels {
namespace {

using testing::Numbers;
using testing::SplitParallel;

// Slices of [outer, size, inner] by `count` indices of the middle axis.
IndexGrid SlicesOf(int64_t outer, int64_t size, int64_t inner, int64_t count) {
  IndexGrid grid;
  grid.rank = 2;
  grid.depth = 1;
  grid.size = {outer, count};
  grid.data_stride = {size * inner, 0};
  grid.index_stride = {0, 1};
  grid.extent = {size};
  grid.extent_stride = {inner};
  grid.inner = inner;
  return grid;
}

TEST(GatherTest, TakesElementsByIndicesOfSeveralAxes) {
  const int16_t x[2][3] = {{0, 1, 2}, {10, 11, 12}};
  const int32_t indices[3][2] = {{0, 2}, {1, -3}, {-1, 1}};
  IndexGrid grid;
  grid.rank = 1;
  grid.depth = 2;
  grid.size = {3};
  grid.index_stride = {2};
  grid.index_step = 1;
  grid.extent = {2, 3};
  grid.extent_stride = {3, 1};
  int16_t y[3];
  ASSERT_TRUE(Gather(sys::SerialParallel(), 2, grid, {indices, false}, x, y));
  EXPECT_EQ(y[0], 2);
  EXPECT_EQ(y[1], 10);
  EXPECT_EQ(y[2], 11);
}

TEST(GatherTest, TakesSlicesAlsoFromTheEnd) {
  Numbers numbers(71);
  for (int round = 0; round < 60; ++round) {
    const int64_t outer = numbers.Whole(1, 4);
    const int64_t size = numbers.Whole(1, 9);
    const int64_t inner = numbers.Pick<int64_t>({1, 2, 4, numbers.Whole(1, 30)});
    const int64_t count = numbers.Whole(0, 12);
    const std::vector<float> x = numbers.Reals(outer * size * inner);
    std::vector<int64_t> indices;
    for (int64_t i = 0; i < count; ++i) indices.push_back(numbers.Whole(-size, size - 1));
    for (int width = 1; width <= 3; ++width) {
      SplitParallel parallel(width);
      std::vector<float> y(static_cast<size_t>(outer * count * inner));
      ASSERT_TRUE(Gather(parallel, 4, SlicesOf(outer, size, inner, count), {indices.data(), true},
                         x.data(), y.data()));
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
    EXPECT_FALSE(Gather(sys::SerialParallel(), 4, SlicesOf(1, 3, 1, 1), {&index, true}, x, y));
  }
}

}  // namespace
}  // namespace ferry::kernels
