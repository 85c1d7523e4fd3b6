// Products of bfloat16 against plain loops over rounded operands, on every instruction set.
#include "device-runtime/kernels/bf16/bf16.h"

#include "device-runtime/kernels/bf16/kernels.h"
#include "device-runtime/kernels/testing/testing.h"
#include "device-runtime/tensor/dtype.h"

namespace ferry::kernels {
namespace {

using testing::CheckEverywhere;
using testing::Numbers;
using testing::Output;

float Rounded(float x) {
  return tensor::BFloat16ToFloat(tensor::FloatToBFloat16(x));
}

struct Bf16Case {
  GemmShape shape;
  MatrixView a, b;
  Epilogue epilogue;
  int64_t c_stride;
};

// With operands rounded first, or as they are.
std::vector<double> Naive(const Bf16Case& t, bool rounds) {
  const auto [m, n, k] = t.shape;
  std::vector<double> expected;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = t.epilogue.bias == nullptr ? 0 : t.epilogue.bias[j];
      for (int64_t x = 0; x < k; ++x) {
        const float a = t.a.data[i * t.a.row_stride + x * t.a.column_stride];
        const float b = t.b.data[x * t.b.row_stride + j * t.b.column_stride];
        sum += static_cast<double>(rounds ? Rounded(a) : a) *
               static_cast<double>(rounds ? Rounded(b) : b);
      }
      if (t.epilogue.add != nullptr) sum += t.epilogue.add[i * t.c_stride + j];
      expected.push_back(
          t.epilogue.activation == Activation::kClip
              ? std::min<double>(t.epilogue.high, std::max<double>(t.epilogue.low, sum))
              : sum);
    }
  }
  return expected;
}

std::vector<float> Product(const KernelTable& table, sys::Parallel& parallel, const Bf16Case& t,
                           const Tiles& tiles = {}) {
  const auto [m, n, k] = t.shape;
  std::vector<float> packed(Bf16PackedSize(table, k, n));
  Bf16Pack(table, k, n, t.b, packed.data(), tiles);
  std::vector<float> workspace(Bf16WorkspaceSize(t.shape, t.a.column_stride));
  Output c(m * t.c_stride);
  Bf16Gemm(table, parallel, t.shape, t.a, packed.data(), t.epilogue, c.data(), t.c_stride,
           workspace.data(), tiles);
  const std::vector<float> all = c.Take();
  std::vector<float> out;
  for (int64_t i = 0; i < m; ++i) {
    out.insert(out.end(), all.begin() + i * t.c_stride, all.begin() + i * t.c_stride + n);
    for (int64_t j = n; j < t.c_stride; ++j) EXPECT_TRUE(std::isnan(all[i * t.c_stride + j]));
  }
  return out;
}

void Check(const Bf16Case& t, double tolerance, bool rounds) {
  CheckEverywhere(Naive(t, rounds), tolerance,
                  [&](const KernelTable& table, sys::Parallel& parallel) {
                    return Product(table, parallel, t);
                  });
}

TEST(Bf16Test, AgreesWithTheNaiveProductOfRoundedOperands) {
  Numbers numbers(1);
  for (int round = 0; round < 60; ++round) {
    Bf16Case t;
    t.shape = {numbers.Whole(1, 60), numbers.Whole(1, 90), numbers.Whole(1, 120)};
    if (round % 6 == 5) t.shape.m = 1;
    if (round % 10 == 9) t.shape.k = numbers.Whole(1000, 1100);  // several blocks of depth
    const auto [m, n, k] = t.shape;
    const std::vector<float> a = numbers.Reals(m * k), b = numbers.Reals(k * n);
    t.a = round % 4 == 1 ? MatrixView{a.data(), 1, m} : MatrixView{a.data(), k, 1};
    t.b = round % 3 == 1 ? MatrixView{b.data(), 1, k} : MatrixView{b.data(), n, 1};
    t.c_stride = n + numbers.Whole(0, 3);
    const std::vector<float> bias = numbers.Reals(n), add = numbers.Reals(m * t.c_stride);
    if (round % 2 == 0) t.epilogue.bias = bias.data();
    if (round % 3 == 0) t.epilogue.add = add.data();
    if (round % 5 == 0) t.epilogue.activation = Activation::kClip;
    t.epilogue.low = -0.5f;
    t.epilogue.high = 2;
    SCOPED_TRACE(::testing::Message()
                 << "round " << round << ": " << m << " x " << n << " x " << k);
    ASSERT_NO_FATAL_FAILURE(Check(t, 1e-5, true));
  }
}

TEST(Bf16Test, RoundingStaysInItsBound) {
  Numbers numbers(5);
  for (int64_t k : {1, 2, 9, 64, 800}) {
    const std::vector<float> a = numbers.Reals(40 * k), b = numbers.Reals(k * 50);
    std::vector<float> halves = a;
    for (float& x : halves) x = Rounded(x);
    Bf16Case t = {{40, 50, k}, {a.data(), k, 1}, {b.data(), 50, 1}, {}, 50};
    SCOPED_TRACE(k);
    ASSERT_NO_FATAL_FAILURE(Check(t, 2 * kBf16Error, false));
    t.a.data = halves.data();
    ASSERT_NO_FATAL_FAILURE(Check(t, kBf16Error, false));
  }
}

TEST(Bf16Test, EverySetRoundsTheSums) {  // as the reference, up to the last bits of the terms
  Numbers numbers(2);
  Bf16Case t;
  t.shape = {29, 67, 333};
  const std::vector<float> a = numbers.Reals(29 * 333), b = numbers.Reals(333 * 67);
  t.a = {a.data(), 333, 1};
  t.b = {b.data(), 67, 1};
  t.c_stride = 67;
  const std::vector<float> expected = Product(TableOf(Isa::kReference), sys::SerialParallel(), t);
  for (Isa isa : RunningIsas()) {
    const std::vector<float> got = Product(TableOf(isa), sys::SerialParallel(), t);
    int64_t other = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      other += got[i] != expected[i];
      ASSERT_NEAR(got[i], expected[i], 333 * 0x1p-24) << IsaName(isa) << " " << i;
    }
    RecordProperty(std::string("other_bits_") + IsaName(isa), static_cast<int>(other));
  }
}

TEST(Bf16Test, NoCutChangesABit) {
  Numbers numbers(3);
  Bf16Case t;
  t.shape = {25, 130, 1301};
  const std::vector<float> a = numbers.Reals(25 * 1301), b = numbers.Reals(1301 * 130);
  t.a = {a.data(), 1301, 1};
  t.b = {b.data(), 130, 1};
  t.c_stride = 130;
  for (Isa isa : RunningIsas()) {
    const KernelTable& table = TableOf(isa);
    const std::vector<float> expected = Product(table, sys::SerialParallel(), t);
    for (int vectors = 1; vectors <= kMaxPanelVectors; ++vectors) {
      const int rows = MaxTileRows(Bf16Table(table), vectors);
      if (rows == 0) continue;
      for (int64_t depth : {64, 301}) {
        const Tiles tiles = {rows, vectors, depth, 32 << 10};
        testing::ExpectSameBits(Product(table, sys::SerialParallel(), t, tiles), expected);
      }
    }
  }
}

TEST(Bf16Test, RoundsAsTheReference) {
  Numbers numbers(4);
  std::vector<float> x;
  for (int i = 0; i < 4099; ++i) {
    auto bits = static_cast<uint32_t>(numbers.Whole(0, 0xffffffff));
    if (i % 7 == 0) bits = (bits & 0xffff0000) | 0x8000;  // half way
    float number;
    std::memcpy(&number, &bits, sizeof number);
    x.push_back(number);
  }
  const float inf = std::numeric_limits<float>::infinity();
  for (float number : {0.0f, -0.0f, inf, -inf, 3.4e38f, 1e-40f, -1e-40f}) x.push_back(number);
  for (Isa isa : RunningIsas()) {
    SCOPED_TRACE(IsaName(isa));
    std::vector<uint16_t> y(x.size() + 1, 0xa5a5);
    TableOf(isa).bf16->round(x.data(), static_cast<int64_t>(x.size()), y.data());
    for (size_t i = 0; i < x.size(); ++i) {
      if (std::isnan(x[i])) {
        ASSERT_TRUE(std::isnan(tensor::BFloat16ToFloat(y[i])));
        continue;
      }
      const bool denormal = std::fpclassify(x[i]) == FP_SUBNORMAL;
      ASSERT_EQ(y[i], tensor::FloatToBFloat16(denormal ? std::copysign(0.0f, x[i]) : x[i])) << x[i];
    }
    ASSERT_EQ(y.back(), 0xa5a5) << "past the end";
  }
}

TEST(Bf16Test, DenormalsCountAsZeroAndNaNStays) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> a = {1e-39f, 1, nan, 1}, b = {1e30f, 2, 3, 4};
  for (Isa isa : RunningIsas()) {
    SCOPED_TRACE(IsaName(isa));
    Bf16Case t = {{1, 2, 2}, {a.data(), 2, 1}, {b.data(), 2, 1}, {}, 2};
    EXPECT_EQ(Product(TableOf(isa), sys::SerialParallel(), t), (std::vector<float>{3, 4}));
    t.a.data = a.data() + 2;
    t.epilogue.activation = Activation::kClip;
    t.epilogue.low = 0;
    t.epilogue.high = 6;
    EXPECT_TRUE(std::isnan(Product(TableOf(isa), sys::SerialParallel(), t)[0]));
  }
}

TEST(Bf16Test, EmptySizes) {
  const float bias[3] = {1.0f, -2.0f, 3.0f};
  Bf16Case t = {{2, 3, 0}, {bias, 0, 1}, {bias, 0, 1}, {}, 3};
  t.epilogue.bias = bias;
  ASSERT_NO_FATAL_FAILURE(Check(t, 0, true));  // the product of nothing is 0
  const std::vector<float> b(12);
  t = {{0, 3, 4}, {b.data(), 4, 1}, {b.data(), 3, 1}, {}, 3};
  ASSERT_NO_FATAL_FAILURE(Check(t, 0, true));
}

TEST(Bf16Test, IsBf16LooksAtEveryNumber) {
  std::vector<float> numbers = {1, 0.5f, -3, 0, std::numeric_limits<float>::infinity()};
  EXPECT_TRUE(IsBf16(numbers.data(), 5));
  numbers.back() = 1.001f;
  EXPECT_FALSE(IsBf16(numbers.data(), 5));
  EXPECT_TRUE(IsBf16(numbers.data(), 4));
}

}  // namespace
}  // namespace ferry::kernels
