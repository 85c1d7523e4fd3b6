#include "device-runtime/kernels/gemm/gemm.h"

#include "device-runtime/kernels/testing/testing.h"

namespace ferry::kernels {
namespace {

using testing::CheckEverywhere;
using testing::Numbers;
using testing::Output;

double Activated(const Epilogue& e, double x) {
  const double low = static_cast<double>(e.low);
  const double high = static_cast<double>(e.high);
  switch (e.activation) {
    case Activation::kNone:
      return x;
    case Activation::kClip:
      return std::min(high, std::max(low, x));
    case Activation::kHardSigmoid:
      return std::max(0.0, std::min(1.0, low * x + high));
    case Activation::kHardSwish:
      return x * std::max(0.0, std::min(1.0, x / 6 + 0.5));
    case Activation::kLeakyRelu:
      return x < 0 ? x * low : x;
    case Activation::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case Activation::kSilu:
      return x / (1 + std::exp(-x));
    case Activation::kTanh:
      return std::tanh(x);
    case Activation::kGelu:
      return x * (1 + std::erf(x / std::sqrt(2.0))) / 2;
  }
  return x;
}

struct GemmCase {
  GemmShape shape;
  MatrixView a, b;
  Epilogue epilogue;
  int64_t c_stride;
};

void Check(const GemmCase& t) {
  const auto [m, n, k] = t.shape;
  std::vector<double> expected;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t x = 0; x < k; ++x) {
        sum += static_cast<double>(t.a.data[i * t.a.row_stride + x * t.a.column_stride]) *
               static_cast<double>(t.b.data[x * t.b.row_stride + j * t.b.column_stride]);
      }
      if (t.epilogue.bias != nullptr) sum += static_cast<double>(t.epilogue.bias[j]);
      if (t.epilogue.add != nullptr) {
        sum += static_cast<double>(t.epilogue.add[i * t.c_stride + j]);
      }
      expected.push_back(Activated(t.epilogue, sum));
    }
  }
  CheckEverywhere(expected, 1e-5, [&](const KernelTable& table, sys::Parallel& parallel) {
    std::vector<float> packed(PackedBSize(table, k, n));
    PackB(table, k, n, t.b, packed.data());
    std::vector<float> workspace(GemmWorkspaceSize(t.shape, t.a.column_stride));
    Output c(m * t.c_stride);
    Gemm(table, parallel, t.shape, t.a, packed.data(), t.epilogue, c.data(), t.c_stride,
         workspace.data());
    const std::vector<float> all = c.Take();
    std::vector<float> out;
    for (int64_t i = 0; i < m; ++i) {
      out.insert(out.end(), all.begin() + i * t.c_stride, all.begin() + i * t.c_stride + n);
      for (int64_t j = n; j < t.c_stride; ++j) EXPECT_TRUE(std::isnan(all[i * t.c_stride + j]));
    }
    return out;
  });
}

TEST(GemmTest, AgreesWithTheNaiveProductOnRandomShapes) {
  Numbers numbers(1);
  for (int round = 0; round < 60; ++round) {
    GemmCase t;
    t.shape = {numbers.Whole(1, 60), numbers.Whole(1, 90), numbers.Whole(1, 120)};
    if (round % 6 == 5) t.shape.m = 1;
    const bool transposed_a = round % 4 == 1;
    const bool transposed_b = round % 3 == 1;
    const std::vector<float> a = numbers.Reals(t.shape.m * t.shape.k);
    const std::vector<float> b = numbers.Reals(t.shape.k * t.shape.n);
    t.a = transposed_a ? MatrixView{a.data(), 1, t.shape.m} : MatrixView{a.data(), t.shape.k, 1};
    t.b = transposed_b ? MatrixView{b.data(), 1, t.shape.k} : MatrixView{b.data(), t.shape.n, 1};
    t.c_stride = t.shape.n + numbers.Whole(0, 3);
    const std::vector<float> bias = numbers.Reals(t.shape.n);
    const std::vector<float> add = numbers.Reals(t.shape.m * t.c_stride);
    if (round % 2 == 0) t.epilogue.bias = bias.data();
    if (round % 3 == 0) t.epilogue.add = add.data();
    t.epilogue.activation = static_cast<Activation>(round % 8);
    t.epilogue.low = t.epilogue.activation == Activation::kClip ? 0.0f : 0.2f;
    t.epilogue.high = t.epilogue.activation == Activation::kClip ? 6.0f : 0.5f;
    SCOPED_TRACE(::testing::Message() << "round " << round << ": " << t.shape.m << " x "
                                      << t.shape.n << " x " << t.shape.k);
    ASSERT_NO_FATAL_FAILURE(Check(t));
  }
}

TEST(GemmTest, DepthOfSeveralBlocks) {
  Numbers numbers(2);
  for (int64_t k : {511, 512, 513, 1500, 2049}) {
    for (int64_t m : {1, 13, 40}) {
      GemmCase t;
      t.shape = {m, 70, k};
      const std::vector<float> a = numbers.Reals(m * k);
      const std::vector<float> b = numbers.Reals(k * 70);
      const std::vector<float> bias = numbers.Reals(70);
      t.a = {a.data(), k, 1};
      t.b = {b.data(), 70, 1};
      t.epilogue.bias = bias.data();
      t.epilogue.activation = Activation::kClip;
      t.epilogue.low = 0;
      t.c_stride = 70;
      SCOPED_TRACE(::testing::Message() << m << " x " << k);
      ASSERT_NO_FATAL_FAILURE(Check(t));
    }
  }
}

TEST(GemmTest, EmptySizes) {
  const float bias[3] = {1.0f, -2.0f, 3.0f};
  GemmCase t;
  t.shape = {2, 3, 0};
  t.a = {bias, 0, 1};
  t.b = {bias, 0, 1};
  t.epilogue.bias = bias;
  t.c_stride = 3;
  ASSERT_NO_FATAL_FAILURE(Check(t));  // the product of nothing is 0
  t.shape = {0, 3, 4};
  t.b = {std::vector<float>(12).data(), 3, 1};
  const std::vector<float> b(12);
  t.b.data = b.data();
  ASSERT_NO_FATAL_FAILURE(Check(t));
}

// A row's bits may not depend on how many rows stand beside it.
TEST(GemmTest, RowsDoNotDependOnTheirNeighbours) {
  Numbers numbers(3);
  const int64_t n = 77;
  const int64_t k = 1100;
  const int64_t m = 29;
  const std::vector<float> a = numbers.Reals(m * k);
  const std::vector<float> b = numbers.Reals(k * n);
  for (Isa isa : RunningIsas()) {
    const KernelTable& table = TableOf(isa);
    std::vector<float> packed(PackedBSize(table, k, n));
    PackB(table, k, n, {b.data(), n, 1}, packed.data());
    std::vector<float> all(static_cast<size_t>(m * n));
    Gemm(table, sys::SerialParallel(), {m, n, k}, {a.data(), k, 1}, packed.data(), {}, all.data(),
         n, nullptr);
    for (int64_t i = 0; i < m; ++i) {
      std::vector<float> row(static_cast<size_t>(n));
      Gemm(table, sys::SerialParallel(), {1, n, k}, {a.data() + i * k, k, 1}, packed.data(), {},
           row.data(), n, nullptr);
      ASSERT_NO_FATAL_FAILURE(
          testing::ExpectSameBits(row, {all.begin() + i * n, all.begin() + (i + 1) * n}));
    }
  }
}

TEST(GemmTest, NotANumberStaysOneThroughTheClip) {
  const float a[1] = {std::numeric_limits<float>::quiet_NaN()};
  const float b[1] = {1.0f};
  Epilogue e;
  e.activation = Activation::kClip;
  e.low = 0.0f;
  for (Isa isa : RunningIsas()) {
    const KernelTable& table = TableOf(isa);
    std::vector<float> packed(PackedBSize(table, 1, 1));
    PackB(table, 1, 1, {b, 1, 1}, packed.data());
    float c = 0.0f;
    Gemm(table, sys::SerialParallel(), {1, 1, 1}, {a, 1, 1}, packed.data(), e, &c, 1, nullptr);
    EXPECT_TRUE(std::isnan(c)) << IsaName(isa);
  }
}

}  // namespace
}  // namespace ferry::kernels
