#include "device-runtime/kernels/sort/sort.h"

#include "device-runtime/kernels/testing/testing.h"

namespace ferry::kernels {
namespace {

using tensor::DType;
using testing::Numbers;
using testing::SplitParallel;

// Against picking the best that is left, again and again.
TEST(SortTest, TakesTheFirstInOrderWhateverThePieces) {
  Numbers numbers(91);
  for (int round = 0; round < 40; ++round) {
    SortShape s{numbers.Whole(1, 4), numbers.Whole(1, 40), numbers.Whole(1, 4), 0, round % 2 == 0};
    s.count = numbers.Whole(0, s.size);
    std::vector<float> x;
    for (int64_t i = 0; i < s.outer * s.size * s.inner; ++i) {
      x.push_back(numbers.Whole(0, 15) == 0 ? NAN : static_cast<float>(numbers.Whole(0, 9)));
    }
    const auto key = [&](float v) { return std::isnan(v) ? 1e9f : v; };
    for (int width = 1; width <= 3; ++width) {
      SplitParallel parallel(width);
      const auto out = static_cast<size_t>(s.outer * s.count * s.inner);
      std::vector<float> values(out);
      std::vector<int64_t> indices(out);
      std::vector<uint64_t> room(static_cast<size_t>(SortRoom(DType::kF32, s) / 8 + 1));
      ASSERT_TRUE(
          Sort(parallel, DType::kF32, s, x.data(), values.data(), indices.data(), room.data()));
      for (int64_t line = 0; line < s.outer * s.inner; ++line) {
        const float* from = x.data() + line / s.inner * s.size * s.inner + line % s.inner;
        std::vector<bool> taken(static_cast<size_t>(s.size));
        for (int64_t k = 0; k < s.count; ++k) {
          int64_t best = -1;
          for (int64_t i = 0; i < s.size; ++i) {
            if (taken[static_cast<size_t>(i)]) continue;
            const float a = key(from[i * s.inner]), b = best < 0 ? 0 : key(from[best * s.inner]);
            if (best < 0 || (s.largest ? a > b : a < b)) best = i;
          }
          taken[static_cast<size_t>(best)] = true;
          const auto at =
              static_cast<size_t>((line / s.inner * s.count + k) * s.inner + line % s.inner);
          ASSERT_EQ(indices[at], best);
          ASSERT_EQ(key(values[at]), key(from[best * s.inner]));
        }
      }
    }
  }
}

template <typename T>
void ExpectOrder(DType dtype, const std::vector<T>& x, const std::vector<int64_t>& ascending) {
  SplitParallel parallel(1);
  for (bool largest : {false, true}) {
    const auto size = static_cast<int64_t>(x.size());
    const SortShape s{1, size, 1, size, largest};
    std::vector<T> values(x.size());
    std::vector<int64_t> indices(x.size());
    std::vector<uint64_t> room(static_cast<size_t>(SortRoom(dtype, s) / 8 + 1));
    ASSERT_TRUE(Sort(parallel, dtype, s, x.data(), values.data(), indices.data(), room.data()));
    std::vector<int64_t> expected = ascending;
    if (largest) std::ranges::reverse(expected);
    EXPECT_EQ(indices, expected) << static_cast<int>(dtype) << ' ' << largest;
  }
}

TEST(SortTest, ExtremesOfEveryType) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  ExpectOrder<float>(DType::kF32, {1e-45f, NAN, -kInf, kInf, -1e-45f, 0, -2},
                     {2, 6, 4, 5, 0, 3, 1});
  ExpectOrder<double>(DType::kF64, {1e300, -1e-320, NAN, -1e300, 0}, {3, 1, 4, 0, 2});
  ExpectOrder<int8_t>(DType::kI8, {127, -128, 0, -1}, {1, 3, 2, 0});
  ExpectOrder<uint8_t>(DType::kU8, {127, 255, 0, 128}, {2, 0, 3, 1});
  ExpectOrder<int16_t>(DType::kI16, {32767, -32768, 0}, {1, 2, 0});
  ExpectOrder<uint16_t>(DType::kU16, {32767, 65535, 0}, {2, 0, 1});
  ExpectOrder<int32_t>(DType::kI32, {INT32_MAX, INT32_MIN, -1}, {1, 2, 0});
  ExpectOrder<uint32_t>(DType::kU32, {INT32_MAX, UINT32_MAX, 0}, {2, 0, 1});
  ExpectOrder<int64_t>(DType::kI64, {INT64_MAX, INT64_MIN, -1, INT64_MAX - 1}, {1, 2, 3, 0});
  ExpectOrder<uint64_t>(DType::kU64, {INT64_MAX, UINT64_MAX, 0, UINT64_MAX - 1}, {2, 0, 3, 1});
}

// 0 and -0 are equal, and so are all NaN: the first comes first.
TEST(SortTest, EqualOnesKeepTheirOrder) {
  const std::vector<float> x = {0.0f, -0.0f, 0.0f, NAN, -NAN, NAN};
  SplitParallel parallel(1);
  for (bool largest : {false, true}) {
    const SortShape s{1, 6, 1, 6, largest};
    std::vector<float> values(6);
    std::vector<int64_t> indices(6);
    std::vector<uint64_t> room(static_cast<size_t>(SortRoom(DType::kF32, s) / 8 + 1));
    ASSERT_TRUE(
        Sort(parallel, DType::kF32, s, x.data(), values.data(), indices.data(), room.data()));
    EXPECT_EQ(indices, largest ? (std::vector<int64_t>{3, 4, 5, 0, 1, 2})
                               : (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
  }
}

}  // namespace
}  // namespace ferry::kernels
