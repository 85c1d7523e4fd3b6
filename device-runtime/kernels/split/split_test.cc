// Products of split numbers against plain loops in double, on every instruction set: those without
// tile registers compute what these do.
#include "device-runtime/kernels/split/split.h"

#include "device-runtime/kernels/testing/testing.h"

namespace ferry::kernels {
namespace {

using testing::CheckEverywhere;
using testing::Numbers;
using testing::Output;

struct SplitCase {
  GemmShape shape;
  MatrixView a, b;
  Epilogue epilogue;
  int64_t c_stride;
};

std::vector<double> Naive(const SplitCase& t) {
  const auto [m, n, k] = t.shape;
  std::vector<double> expected;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = t.epilogue.bias == nullptr ? 0 : static_cast<double>(t.epilogue.bias[j]);
      for (int64_t x = 0; x < k; ++x)
        sum += static_cast<double>(t.a.data[i * t.a.row_stride + x * t.a.column_stride]) *
               static_cast<double>(t.b.data[x * t.b.row_stride + j * t.b.column_stride]);
      if (t.epilogue.add != nullptr) sum += static_cast<double>(t.epilogue.add[i * t.c_stride + j]);
      if (t.epilogue.activation == Activation::kClip)
        sum = std::min<double>(t.epilogue.high, std::max<double>(t.epilogue.low, sum));
      if (t.epilogue.activation == Activation::kSigmoid) sum = 1 / (1 + std::exp(-sum));
      expected.push_back(sum);
    }
  }
  return expected;
}

std::vector<float> Product(const KernelTable& table, sys::Parallel& parallel, const SplitCase& t) {
  const auto [m, n, k] = t.shape;
  std::vector<float> packed(SplitPackedSize(table, k, n));
  SplitPack(table, k, n, t.b, packed.data());
  std::vector<float> workspace(SplitWorkspaceSize(t.shape, t.a.column_stride));
  Output c(m * t.c_stride);
  SplitGemm(table, parallel, t.shape, t.a, packed.data(), t.epilogue, c.data(), t.c_stride,
            workspace.data());
  const std::vector<float> all = c.Take();
  std::vector<float> out;
  for (int64_t i = 0; i < m; ++i) {
    out.insert(out.end(), all.begin() + i * t.c_stride, all.begin() + i * t.c_stride + n);
    for (int64_t j = n; j < t.c_stride; ++j) EXPECT_TRUE(std::isnan(all[i * t.c_stride + j]));
  }
  return out;
}

TEST(SplitTest, StaysInsideItsStatedBound) {
  Numbers numbers(1);
  for (int round = 0; round < 40; ++round) {
    SCOPED_TRACE(round);
    SplitCase t;
    t.shape = {numbers.Whole(1, 70), numbers.Whole(1, 70), numbers.Whole(1, 130)};
    if (round % 8 == 7) t.shape.k = numbers.Whole(500, 600);  // several segments
    const auto [m, n, k] = t.shape;
    const std::vector<float> a = numbers.Reals(m * k), b = numbers.Reals(k * n);
    const bool a_turned = round % 3 == 1, b_turned = round % 2 == 1;
    t.a = a_turned ? MatrixView{a.data(), 1, m} : MatrixView{a.data(), k, 1};
    t.b = b_turned ? MatrixView{b.data(), 1, k} : MatrixView{b.data(), n, 1};
    t.c_stride = n + numbers.Whole(0, 3);
    const std::vector<float> bias = numbers.Reals(n), add = numbers.Reals(m * t.c_stride);
    if (round % 2 == 0) t.epilogue.bias = bias.data();
    if (round % 5 == 0) t.epilogue.add = add.data();
    // What is cut off or bent is smaller than the sums that the bound is one of.
    if (round % 4 == 1) {
      t.epilogue.activation = Activation::kClip;
      t.epilogue.low = -0.5f;
      t.epilogue.high = 1.0f;
    }
    if (round % 4 == 2) t.epilogue.activation = Activation::kSigmoid;
    ASSERT_NO_FATAL_FAILURE(
        CheckEverywhere(Naive(t), round % 4 == 1 || round % 4 == 2 ? 8 * kSplitError : kSplitError,
                        [&](const KernelTable& table, sys::Parallel& parallel) {
                          return Product(table, parallel, t);
                        }));
  }
}

TEST(SplitTest, ARowDoesNotDependOnThoseBesideIt) {
  Numbers numbers(2);
  const int64_t n = 40, k = 700, m = 37;
  const std::vector<float> a = numbers.Reals(m * k), b = numbers.Reals(k * n);
  sys::Parallel& parallel = sys::SerialParallel();
  for (const Isa isa : RunningIsas()) {
    const SplitCase all = {{m, n, k}, {a.data(), k, 1}, {b.data(), n, 1}, {}, n};
    const std::vector<float> together = Product(TableOf(isa), parallel, all);
    for (const int64_t row : {int64_t{0}, int64_t{17}, m - 1}) {
      const SplitCase one = {{1, n, k}, {a.data() + row * k, k, 1}, {b.data(), n, 1}, {}, n};
      ASSERT_NO_FATAL_FAILURE(
          testing::ExpectSameBits(Product(TableOf(isa), parallel, one),
                                  {together.begin() + row * n, together.begin() + (row + 1) * n}));
    }
  }
}

TEST(SplitTest, InfinityAndNanStayWhatTheyAre) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Numbers numbers(3);
  sys::Parallel& parallel = sys::SerialParallel();
  const int64_t m = 40, n = 20, k = 400;  // several segments
  for (const bool in_b : {false, true}) {
    std::vector<float> a = numbers.Reals(m * k), b = numbers.Reals(k * n, 0.5f, 1.0f);
    if (in_b) {
      for (int64_t j = 0; j < n; j += 3) b[399 * n + j] = kInfinity;
      a[399] = 0;
    } else {
      a[5 * k + 2] = kInfinity;
      a[6 * k + 390] = -kInfinity;
      a[7 * k] = std::numeric_limits<float>::quiet_NaN();
      a[8 * k] = kInfinity;
      a[8 * k + 399] = -kInfinity;
      a[9 * k] = a[9 * k + 1] = -3.4e38f;
    }
    const SplitCase t = {{m, n, k}, {a.data(), k, 1}, {b.data(), n, 1}, {}, n};
    for (const Isa isa : RunningIsas()) {
      const std::vector<float> y = Product(TableOf(isa), parallel, t);
      for (int64_t i = 0; i < m * n; ++i) {
        float sum = 0;
        for (int64_t x = 0; x < k; ++x) sum += a[i / n * k + x] * b[x * n + i % n];
        ASSERT_EQ(std::isnan(y[i]), std::isnan(sum)) << IsaName(isa) << " " << i;
        if (std::isinf(sum)) {
          ASSERT_EQ(y[i], sum) << IsaName(isa) << " " << i;
        } else if (std::isfinite(sum)) {
          ASSERT_NEAR(y[i], sum, 2e-3) << IsaName(isa) << " " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace ferry::kernels
