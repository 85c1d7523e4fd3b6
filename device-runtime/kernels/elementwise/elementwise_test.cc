#include "device-runtime/kernels/elementwise/elementwise.h"

#include "device-runtime/kernels/testing/testing.h"

namespace ferry::kernels {
namespace {

using testing::Numbers;
using testing::Output;
using testing::SplitParallel;

struct UnaryCase {
  UnaryOp op;
  const char* name;
  double error;
};
constexpr UnaryCase kUnary[] = {
#define FERRY_UNARY(name, error) {UnaryOp::k##name, #name, error},
#include "device-runtime/kernels/elementwise/unary.inc"
#undef FERRY_UNARY
};

double Exact(UnaryOp op, double alpha, double beta, double x) {
  switch (op) {
    case UnaryOp::kAbs:
      return std::fabs(x);
    case UnaryOp::kCeil:
      return std::ceil(x);
    case UnaryOp::kClip:
      return std::min(beta, std::max(alpha, x));
    case UnaryOp::kErf:
      return std::erf(x);
    case UnaryOp::kExp:
      return std::exp(x);
    case UnaryOp::kFloor:
      return std::floor(x);
    case UnaryOp::kGelu:
      return x * 0.5 * (1 + std::erf(x / std::sqrt(2.0)));
    case UnaryOp::kHardSigmoid:
      return std::max(0.0, std::min(1.0, alpha * x + beta));
    case UnaryOp::kHardSwish:
      return x * std::max(0.0, std::min(1.0, x / 6 + 0.5));
    case UnaryOp::kLeakyRelu:
      return x < 0 ? alpha * x : x;
    case UnaryOp::kLog:
      return std::log(x);
    case UnaryOp::kNeg:
      return -x;
    case UnaryOp::kReciprocal:
      return 1 / x;
    case UnaryOp::kRelu:
      return std::max(0.0, x);
    case UnaryOp::kRound:
      return std::nearbyint(x);
    case UnaryOp::kRsqrt:
      return 1 / std::sqrt(x);
    case UnaryOp::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case UnaryOp::kSign:
      return x > 0 ? 1 : (x < 0 ? -1 : x);
    case UnaryOp::kSilu:
      return x / (1 + std::exp(-x));
    case UnaryOp::kSoftplus:
      return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
    case UnaryOp::kSqrt:
      return std::sqrt(x);
    case UnaryOp::kSquare:
      return x * x;
    case UnaryOp::kTanh:
      return std::tanh(x);
  }
  return 0;
}

bool NeedsPositive(UnaryOp op) {
  return op == UnaryOp::kLog || op == UnaryOp::kSqrt || op == UnaryOp::kRsqrt ||
         op == UnaryOp::kReciprocal;
}

// Dense in the bits, from the smallest normal number to past every threshold.
std::vector<float> Samples(UnaryOp op, Numbers& numbers) {
  std::vector<float> x = numbers.Reals(3000, -12.0f, 12.0f);
  for (int i = 0; i < 3000; ++i)
    x.push_back(std::ldexp(numbers.Real(-2.0f, 2.0f), static_cast<int>(numbers.Whole(-30, 7))));
  for (float v : {0.5f, 1.5f, 2.5f, -0.5f, -2.5f, 3.0f, -3.0f, 80.0f, -80.0f}) x.push_back(v);
  if (!NeedsPositive(op)) x.push_back(0.0f);
  for (float& v : x) {
    if (NeedsPositive(op)) v = std::max(1e-30f, std::fabs(v));
    if (op == UnaryOp::kExp) v = std::min(v, 80.0f);
  }
  return x;
}

TEST(UnaryTest, StaysWithinTheErrorOfTheList) {
  Numbers numbers(21);
  const float alpha = 0.17f;
  const float beta = 0.55f;
  for (const UnaryCase& c : kUnary) {
    EXPECT_STREQ(UnaryName(c.op), c.name);
    const std::vector<float> x = Samples(c.op, numbers);
    for (Isa isa : RunningIsas()) {
      std::vector<float> y(x.size());
      Unary(TableOf(isa), sys::SerialParallel(), c.op, alpha, beta, static_cast<int64_t>(x.size()),
            x.data(), y.data());
      double worst = 0;
      float at = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        const double want = Exact(c.op, static_cast<double>(alpha), static_cast<double>(beta),
                                  static_cast<double>(x[i]));
        const double error =
            std::fabs(static_cast<double>(y[i]) - want) / std::max(1.0, std::fabs(want));
        if (!(error <= worst)) {
          worst = error;
          at = x[i];
        }
      }
      EXPECT_LE(worst, c.error) << c.name << " " << IsaName(isa) << " at " << at;
    }
  }
}

TEST(UnaryTest, EdgesOfExpAndLog) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float x[] = {infinity, -infinity, nan, 100.0f, -200.0f, 0.0f, -1.0f, 1e-40f};
  for (Isa isa : RunningIsas()) {
    float e[8];
    float l[8];
    Unary(TableOf(isa), sys::SerialParallel(), UnaryOp::kExp, 0, 0, 8, x, e);
    Unary(TableOf(isa), sys::SerialParallel(), UnaryOp::kLog, 0, 0, 8, x, l);
    EXPECT_EQ(e[0], infinity);
    EXPECT_EQ(e[1], 0.0f);
    EXPECT_TRUE(std::isnan(e[2]));
    EXPECT_EQ(e[3], infinity);
    EXPECT_EQ(e[4], 0.0f);
    EXPECT_EQ(l[0], infinity);
    EXPECT_TRUE(std::isnan(l[1]));
    EXPECT_TRUE(std::isnan(l[2]));
    EXPECT_EQ(l[5], -infinity);
    EXPECT_TRUE(std::isnan(l[6]));
    EXPECT_NEAR(l[7], -92.1034037f, 1e-4f) << IsaName(isa);
  }
}

TEST(UnaryTest, EveryLengthAndAnySplit) {
  Numbers numbers(22);
  for (int64_t count = 0; count < 70; ++count) {
    const std::vector<float> x = numbers.Reals(count, -4.0f, 4.0f);
    std::vector<double> want;
    for (float v : x) want.push_back(Exact(UnaryOp::kSigmoid, 0, 0, static_cast<double>(v)));
    testing::CheckEverywhere(want, 1e-6, [&](const KernelTable& table, sys::Parallel& parallel) {
      Output y(count);
      Unary(table, parallel, UnaryOp::kSigmoid, 0, 0, count, x.data(), y.data());
      return y.Take();
    });
  }
}

struct BinaryCase {
  BinaryOp op;
  const char* name;
};
constexpr BinaryCase kBinary[] = {
#define FERRY_BINARY(name) {BinaryOp::k##name, #name},
#include "device-runtime/kernels/elementwise/binary.inc"
#undef FERRY_BINARY
};

double Exact(BinaryOp op, double a, double b) {
  switch (op) {
    case BinaryOp::kAdd:
      return a + b;
    case BinaryOp::kDiv:
      return a / b;
    case BinaryOp::kMax:
      return std::max(a, b);
    case BinaryOp::kMin:
      return std::min(a, b);
    case BinaryOp::kMul:
      return a * b;
    case BinaryOp::kPow:
      return std::pow(a, b);
    case BinaryOp::kPrelu:
      return a < 0 ? a * b : a;
    case BinaryOp::kSquaredDifference:
      return (a - b) * (a - b);
    case BinaryOp::kSub:
      return a - b;
  }
  return 0;
}

TEST(BinaryTest, BroadcastsLikeNumpy) {
  Numbers numbers(23);
  for (int round = 0; round < 120; ++round) {
    const BinaryCase c = kBinary[static_cast<size_t>(round) % std::size(kBinary)];
    EXPECT_STREQ(BinaryName(c.op), c.name);
    const int rank = static_cast<int>(numbers.Whole(0, 5));
    int64_t a_dims[8];
    int64_t b_dims[8];
    int64_t out = 1;
    for (int i = 0; i < rank; ++i) {
      const int64_t size = numbers.Pick<int64_t>({1, 2, 3, 5, 17});
      a_dims[i] = numbers.Whole(0, 3) == 0 ? 1 : size;
      b_dims[i] = numbers.Whole(0, 3) == 0 ? 1 : size;
      out *= std::max(a_dims[i], b_dims[i]);
    }
    const int drop = static_cast<int>(numbers.Whole(0, rank));  // b may lack leading axes
    BinaryShape shape;
    const int b_rank = round % 2 == 0 ? rank : rank - drop;
    for (int i = 0; i < rank - b_rank; ++i) out = out / std::max(a_dims[i], b_dims[i]) * a_dims[i];
    ASSERT_TRUE(BroadcastShape(rank, a_dims, b_rank, b_dims + (rank - b_rank), &shape));
    int64_t a_size = 1;
    int64_t b_size = 1;
    for (int i = 0; i < rank; ++i) a_size *= a_dims[i];
    for (int i = rank - b_rank; i < rank; ++i) b_size *= b_dims[i];
    const float low = c.op == BinaryOp::kPow ? 0.1f : -2.0f;
    const std::vector<float> a = numbers.Reals(a_size, low, 2.0f);
    std::vector<float> b = numbers.Reals(b_size, -2.0f, 2.0f);
    if (c.op == BinaryOp::kDiv) {
      for (float& v : b) v = v < 0 ? v - 0.5f : v + 0.5f;
    }
    std::vector<double> want;
    for (int64_t i = 0; i < out; ++i) {
      int64_t rest = i;
      int64_t at_a = 0;
      int64_t at_b = 0;
      for (int k = rank - 1; k >= 0; --k) {
        at_a += rest % shape.size[k] * shape.a_stride[k];
        at_b += rest % shape.size[k] * shape.b_stride[k];
        rest /= shape.size[k];
      }
      want.push_back(Exact(c.op, static_cast<double>(a[at_a]), static_cast<double>(b[at_b])));
    }
    SCOPED_TRACE(c.name);
    ASSERT_NO_FATAL_FAILURE(testing::CheckEverywhere(
        want, 1e-6, [&](const KernelTable& table, sys::Parallel& parallel) {
          Output y(out);
          Binary(table, parallel, c.op, shape, a.data(), b.data(), y.data());
          return y.Take();
        }));
  }
}

TEST(BinaryTest, ShapesThatDoNotBroadcastAreRefused) {
  const int64_t a[] = {2, 3};
  const int64_t b[] = {2, 4};
  const int64_t long_dims[kMaxBinaryRank + 1] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  BinaryShape shape;
  EXPECT_FALSE(BroadcastShape(2, a, 2, b, &shape));
  EXPECT_TRUE(BroadcastShape(kMaxBinaryRank, long_dims, 2, a, &shape));
  EXPECT_FALSE(BroadcastShape(kMaxBinaryRank + 1, long_dims, 2, a, &shape));
}

TEST(BinaryTest, MaxAndMinPassNotANumberOn) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float a[] = {nan, 1.0f};
  const float b[] = {1.0f, nan};
  BinaryShape shape;
  shape.rank = 1;
  shape.size[0] = 2;
  shape.a_stride[0] = shape.b_stride[0] = 1;
  for (Isa isa : RunningIsas()) {
    for (BinaryOp op : {BinaryOp::kMax, BinaryOp::kMin}) {
      float c[2];
      Binary(TableOf(isa), sys::SerialParallel(), op, shape, a, b, c);
      EXPECT_TRUE(std::isnan(c[0]) && std::isnan(c[1])) << IsaName(isa);
    }
  }
}

}  // namespace
}  // namespace ferry::kernels
