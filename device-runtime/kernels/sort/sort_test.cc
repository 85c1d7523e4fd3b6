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

}  // namespace
}  // namespace ferry::kernels
