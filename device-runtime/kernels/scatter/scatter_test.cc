#include "device-runtime/kernels/scatter/scatter.h"

#include "device-runtime/kernels/testing/testing.h"

namespace ferry::kernels {
namespace {

using tensor::DType;
using testing::Numbers;

// Updates [count, inner] at entries of an axis of `size`.
IndexGrid EntriesOf(int64_t size, int64_t inner, int64_t count) {
  IndexGrid grid;
  grid.rank = 1;
  grid.depth = 1;
  grid.size = {count};
  grid.index_stride = {1};
  grid.extent = {size};
  grid.extent_stride = {inner};
  grid.inner = inner;
  return grid;
}

TEST(ScatterTest, CombinesInOrder) {
  Numbers numbers(81);
  for (int round = 0; round < 50; ++round) {
    const int64_t size = numbers.Whole(1, 6), inner = numbers.Whole(1, 5);
    const int64_t count = numbers.Whole(0, 20);
    const auto kind = static_cast<ScatterKind>(round % 5);
    std::vector<int32_t> x, updates, want;
    std::vector<int64_t> indices;
    for (int64_t i = 0; i < size * inner; ++i)
      x.push_back(static_cast<int32_t>(numbers.Whole(-9, 9)));
    for (int64_t i = 0; i < count; ++i) indices.push_back(numbers.Whole(-size, size - 1));
    for (int64_t i = 0; i < count * inner; ++i) {
      updates.push_back(static_cast<int32_t>(numbers.Whole(-9, 9)));
    }
    want = x;
    for (int64_t i = 0; i < count * inner; ++i) {
      const int64_t index = indices[i / inner];
      int32_t& to = want[(index < 0 ? index + size : index) * inner + i % inner];
      const int32_t v = updates[i];
      // Sums and products may wrap: as unsigned ones do.
      const auto p = static_cast<uint32_t>(to), q = static_cast<uint32_t>(v);
      const int32_t results[] = {v, static_cast<int32_t>(p + q), static_cast<int32_t>(p * q),
                                 std::min(to, v), std::max(to, v)};
      to = results[static_cast<int>(kind)];
    }
    std::vector<int32_t> y(x.size());
    ASSERT_TRUE(Scatter(DType::kI32, kind, EntriesOf(size, inner, count), {indices.data(), true},
                        size * inner, x.data(), updates.data(), y.data()));
    EXPECT_EQ(y, want);
  }
}

TEST(ScatterTest, RefusesIndicesOutside) {
  const float x[2] = {1, 2}, update[1] = {3};
  float y[2];
  for (int32_t index : {2, -3}) {
    EXPECT_FALSE(Scatter(DType::kF32, ScatterKind::kAdd, EntriesOf(2, 1, 1), {&index, false}, 2, x,
                         update, y));
  }
}

}  // namespace
}  // namespace ferry::kernels
