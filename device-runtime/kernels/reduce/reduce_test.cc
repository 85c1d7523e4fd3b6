#include "device-runtime/kernels/reduce/reduce.h"

#include "device-runtime/kernels/reduce/any.h"
#include "device-runtime/kernels/testing/testing.h"

namespace ferry::kernels {
namespace {

using testing::Numbers;
using testing::Output;

double NaiveReduce(ReduceOp op, int64_t size, int64_t stride, const float* x) {
  double y = 0;
  if (op == ReduceOp::kProd) y = 1;
  if (op == ReduceOp::kMax) y = -std::numeric_limits<double>::infinity();
  if (op == ReduceOp::kMin) y = std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < size; ++i) {
    const double v = static_cast<double>(x[i * stride]);
    switch (op) {
      case ReduceOp::kSum:
      case ReduceOp::kMean:
        y += v;
        break;
      case ReduceOp::kMax:
        y = std::max(y, v);
        break;
      case ReduceOp::kMin:
        y = std::min(y, v);
        break;
      case ReduceOp::kProd:
        y *= v;
        break;
      case ReduceOp::kSumSquare:
      case ReduceOp::kL2:
        y += v * v;
        break;
      case ReduceOp::kL1:
        y += std::fabs(v);
        break;
    }
  }
  if (op == ReduceOp::kMean) y /= static_cast<double>(size);
  if (op == ReduceOp::kL2) y = std::sqrt(y);
  return y;
}

TEST(ReduceTest, AgreesWithTheNaiveReductionOnRandomShapes) {
  Numbers numbers(51);
  for (int round = 0; round < 160; ++round) {
    const ReduceOp op = static_cast<ReduceOp>(round % kReduceOpCount);
    const int64_t outer = numbers.Whole(1, 5);
    const int64_t size = numbers.Whole(1, round % 3 == 0 ? 700 : 40);
    const int64_t inner = round % 2 == 0 ? 1 : numbers.Whole(1, 150);
    const bool prod = op == ReduceOp::kProd;
    const std::vector<float> x =
        numbers.Reals(outer * size * inner, prod ? 0.9f : -1.0f, prod ? 1.1f : 1.0f);
    std::vector<double> want;
    for (int64_t i = 0; i < outer * inner; ++i) {
      want.push_back(NaiveReduce(op, size, inner, x.data() + i / inner * size * inner + i % inner));
    }
    SCOPED_TRACE(::testing::Message() << round << ": " << outer << " " << size << " " << inner);
    ASSERT_NO_FATAL_FAILURE(testing::CheckEverywhere(
        want, 2e-5, [&](const KernelTable& table, sys::Parallel& parallel) {
          Output y(outer * inner);
          Reduce(table, parallel, op, outer, size, inner, x.data(), y.data());
          return y.Take();
        }));
  }
}

// Rows in parts, columns in slabs.
TEST(ReduceTest, ManyRowsAndColumns) {
  Numbers numbers(52);
  const int64_t shapes[][3] = {{1, 33, 700}, {2, 3000, 17}, {5, 60, 530}, {1, 4097, 3}};
  for (const auto& [outer, size, inner] : shapes) {
    const std::vector<float> x = numbers.Reals(outer * size * inner);
    for (const ReduceOp op : {ReduceOp::kMean, ReduceOp::kL2, ReduceOp::kL1, ReduceOp::kMin}) {
      std::vector<double> want;
      for (int64_t i = 0; i < outer * inner; ++i) {
        want.push_back(
            NaiveReduce(op, size, inner, x.data() + i / inner * size * inner + i % inner));
      }
      ASSERT_NO_FATAL_FAILURE(testing::CheckEverywhere(
          want, 2e-5, [&](const KernelTable& table, sys::Parallel& parallel) {
            Output y(outer * inner);
            Reduce(table, parallel, op, outer, size, inner, x.data(), y.data());
            return y.Take();
          }));
    }
  }
}

TEST(ReduceTest, OfNothing) {
  for (Isa isa : RunningIsas()) {
    for (int64_t inner : {1, 3}) {
      const auto run = [&](ReduceOp op) {
        float y[3] = {7, 7, 7};
        Reduce(TableOf(isa), sys::SerialParallel(), op, 1, 0, inner, nullptr, y);
        return y[0];
      };
      EXPECT_EQ(run(ReduceOp::kSum), 0.0f);
      EXPECT_EQ(run(ReduceOp::kProd), 1.0f);
      EXPECT_EQ(run(ReduceOp::kMax), -std::numeric_limits<float>::infinity());
      EXPECT_EQ(run(ReduceOp::kMin), std::numeric_limits<float>::infinity());
      EXPECT_TRUE(std::isnan(run(ReduceOp::kMean)));
    }
  }
}

TEST(ReduceTest, ExtremesOfNanAreNan) {
  for (Isa isa : RunningIsas()) {
    for (size_t size : {1, 5, 16, 37, 80}) {
      for (size_t at = 0; at < size; ++at) {
        std::vector<float> x(size, 1.0f);
        x[at] = std::numeric_limits<float>::quiet_NaN();
        for (ReduceOp op : {ReduceOp::kMax, ReduceOp::kMin}) {
          float row = 0;
          Reduce(TableOf(isa), sys::SerialParallel(), op, 1, static_cast<int64_t>(size), 1,
                 x.data(), &row);
          EXPECT_TRUE(std::isnan(row)) << size << " " << at;
          std::vector<float> twice;
          for (float value : x) twice.insert(twice.end(), {value, 2.0f});
          float column[2] = {0, 0};
          Reduce(TableOf(isa), sys::SerialParallel(), op, 1, static_cast<int64_t>(size), 2,
                 twice.data(), column);
          EXPECT_TRUE(std::isnan(column[0]) && column[1] == 2.0f) << size << " " << at;
        }
      }
    }
  }
}

TEST(ArgExtremeTest, TakesTheFirstOrTheLastAmongEquals) {
  Numbers numbers(52);
  for (int round = 0; round < 40; ++round) {
    const int64_t outer = numbers.Whole(1, 4);
    const int64_t size = numbers.Whole(1, 30);
    const int64_t inner = numbers.Whole(1, 9);
    const bool largest = round % 2 == 0;
    std::vector<float> x;
    for (int64_t i = 0; i < outer * size * inner; ++i) {
      x.push_back(static_cast<float>(numbers.Whole(0, 5)));
    }
    for (int width = 1; width <= 3; ++width) {
      testing::SplitParallel parallel(width);
      std::vector<int64_t> y(static_cast<size_t>(outer * inner), -1);
      const bool last = round % 3 == 0;
      ASSERT_TRUE(ArgExtreme(parallel, tensor::DType::kF32, largest, last, outer, size, inner,
                             x.data(), y.data()));
      for (int64_t i = 0; i < outer * inner; ++i) {
        const float* from = x.data() + i / inner * size * inner + i % inner;
        int64_t best = 0;
        for (int64_t k = 1; k < size; ++k) {
          const float a = from[k * inner], b = from[best * inner];
          if ((largest ? a > b : a < b) || (last && a == b)) best = k;
        }
        ASSERT_EQ(y[i], best);
      }
    }
  }
}

}  // namespace
}  // namespace ferry::kernels
