// Products with matrices of 8 and 4 bits against Gemm with the widened matrix, bit for bit.
#include "device-runtime/kernels/gemm/stored.h"

#include "device-runtime/kernels/testing/testing.h"

namespace ferry::kernels {
namespace {

using testing::Numbers;
using testing::SplitParallel;

struct Setting {
  GemmShape shape;
  StoredMatrix b;
  std::vector<uint8_t> data;
  std::vector<float> scale, zero, wide, a, bias, add;
};

Setting RandomSetting(Numbers& numbers, int round) {
  Setting t;
  t.b.is_half = round % 2 == 0;
  t.b.is_signed = round % 3 == 0;
  t.b.blocks = numbers.Pick<int64_t>({1, 1, 2, 5});
  t.shape = {numbers.Whole(1, 40), numbers.Whole(1, 150), t.b.blocks * numbers.Whole(1, 130)};
  const int64_t k = t.shape.k, n = t.shape.n;
  const bool transposed = round % 4 == 1;
  t.b.row_stride = transposed ? 1 : n;
  t.b.column_stride = transposed ? k : 1;
  const int64_t low = t.b.is_signed ? (t.b.is_half ? -8 : -128) : 0;
  const int64_t high = low + (t.b.is_half ? 15 : 255);
  t.data.resize(static_cast<size_t>(k * n));
  for (uint8_t& q : t.data) q = static_cast<uint8_t>(numbers.Whole(low, high));
  t.scale = numbers.Reals(t.b.blocks * n, 0.001f, 0.1f);
  for (int64_t i = 0; i < t.b.blocks * n; ++i) {
    t.zero.push_back(static_cast<float>(numbers.Whole(low, high)));
  }
  t.b.data = t.data.data();
  t.b.scale = t.scale.data();
  t.b.zero = round % 5 == 0 ? nullptr : t.zero.data();
  for (int64_t i = 0; i < k * n; ++i) {
    const int64_t row = i / n, column = i % n;
    const uint8_t q =
        t.data[static_cast<size_t>(row * t.b.row_stride + column * t.b.column_stride)];
    const auto value = static_cast<float>(t.b.is_signed ? static_cast<int8_t>(q) : q);
    const auto at = static_cast<size_t>(row / (k / t.b.blocks) * n + column);
    t.wide.push_back((value - (t.b.zero == nullptr ? 0.0f : t.zero[at])) * t.scale[at]);
  }
  t.a = numbers.Reals(t.shape.m * k);
  t.bias = numbers.Reals(n);
  t.add = numbers.Reals(t.shape.m * n);
  return t;
}

TEST(StoredTest, EqualsTheWidenedMatrix) {
  Numbers numbers(71);
  for (int round = 0; round < 60; ++round) {
    const Setting t = RandomSetting(numbers, round);
    const int64_t m = t.shape.m, n = t.shape.n, k = t.shape.k;
    Epilogue e;
    e.bias = round % 2 == 0 ? t.bias.data() : nullptr;
    e.add = round % 3 == 0 ? t.add.data() : nullptr;
    e.activation = std::array{Activation::kNone, Activation::kClip, Activation::kGelu}[round % 3];
    e.low = 0;
    for (Isa isa : RunningIsas()) {
      const KernelTable& table = TableOf(isa);
      std::vector<float> packed(PackedBSize(table, k, n)), expected(static_cast<size_t>(m * n));
      PackB(table, k, n, {t.wide.data(), n, 1}, packed.data());
      Gemm(table, sys::SerialParallel(), t.shape, {t.a.data(), k, 1}, packed.data(), e,
           expected.data(), n, nullptr);
      std::vector<uint32_t> stored(StoredSize(table, k, n, t.b) / 4);
      auto* bytes = reinterpret_cast<uint8_t*>(stored.data());
      PackStored(table, k, n, t.b, bytes);
      for (int width = 1; width <= 3; ++width) {
        SplitParallel parallel(width);
        std::vector<float> c(expected.size() + 1, 7.0f);
        GemmStored(table, parallel, t.shape, t.b, t.a.data(), k, bytes, e, c.data(), n);
        for (size_t i = 0; i < expected.size(); ++i) {
          ASSERT_EQ(c[i], expected[i]) << IsaName(isa) << " round " << round << " at " << i;
        }
        ASSERT_EQ(c.back(), 7.0f) << "past the end";
      }
    }
  }
}

// Four bits take half of what eight do, eight a quarter of float32's.
TEST(StoredTest, TakesTheMemoryOfItsBits) {
  const KernelTable& table = TableOf(RunningIsas().back());
  StoredMatrix b;
  b.blocks = 16;
  const size_t wide = StoredSize(table, 1024, 960, b);
  b.is_half = true;
  const size_t half = StoredSize(table, 1024, 960, b);
  EXPECT_LT(wide, size_t{1024 * 960} * 115 / 100);
  EXPECT_LT(half, size_t{1024 * 960} * 65 / 100);
}

}  // namespace
}  // namespace ferry::kernels
