#include "device-runtime/quant/affine.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include "common/sys/random.h"

namespace ferry::quant {
namespace {

Tensor RandomTensor(const tensor::Shape& shape, uint64_t seed) {
  sys::SeededRandom random(seed);
  Tensor out = Tensor::Allocate(DType::kF32, shape).value();
  for (float& x : out.mutable_data<float>()) x = static_cast<float>(2 * random.NextDouble() - 1);
  return out;
}

TEST(Affine, CoversTheRangeAndZeroIsExact) {
  sys::SeededRandom random(1);
  for (int i = 0; i < 1000; ++i) {
    const double a = 20 * random.NextDouble() - 10, b = 20 * random.NextDouble() - 10;
    for (DType dtype : {DType::kU8, DType::kI8}) {
      const Affine affine = AffineOf(std::min(a, b), std::max(a, b), dtype);
      // The zero point is rounded: by half a step an end may be cut.
      const double half = affine.scale / 2 * 1.001;
      EXPECT_LE(affine.Low(), std::min({a, b, 0.0}) + half);
      EXPECT_GE(affine.High(), std::max({a, b, 0.0}) - half);
      EXPECT_GE(affine.zero_point, affine.Lowest());
      EXPECT_LE(affine.zero_point, affine.Highest());
    }
  }
}

TEST(Affine, RangesOfNothing) {
  EXPECT_EQ(AffineOf(0, 0, DType::kU8), (Affine{1, 0, DType::kU8}));
  EXPECT_EQ(AffineOf(0, 0, DType::kI8), (Affine{1, -128, DType::kI8}));
  EXPECT_EQ(AffineOf(3, 3, DType::kU8).zero_point, 0);  // a constant: from zero to it
  EXPECT_NEAR(AffineOf(3, 3, DType::kU8).High(), 3, 1e-6);
  EXPECT_GE(AffineOf(0, 1e-40, DType::kU8).scale, static_cast<float>(kLeastScale));
}

// Scales by channel against a brute force that looks for the largest magnitude element by element.
TEST(QuantizeWeight, ScalesOfEveryAxis) {
  const Tensor w = RandomTensor({3, 4, 5}, 7);
  const auto x = w.data<float>();
  for (int axis = 0; axis < 3; ++axis) {
    const QuantizedWeight q = QuantizeWeight(w, {DType::kI8, axis}).value();
    ASSERT_EQ(q.scales.elements(), w.shape()[axis]);
    std::vector<float> largest(static_cast<size_t>(w.shape()[axis]), 0);
    for (int64_t i = 0; i < w.elements(); ++i) {
      const int64_t at[] = {i / 20, i / 5 % 4, i % 5};
      float& l = largest[static_cast<size_t>(at[axis])];
      l = std::max(l, std::fabs(x[static_cast<size_t>(i)]));
    }
    const Tensor back = Dequantized(q).value();
    for (int64_t i = 0; i < w.elements(); ++i) {
      const int64_t at[] = {i / 20, i / 5 % 4, i % 5};
      const float scale = q.scales.data<float>()[static_cast<size_t>(at[axis])];
      EXPECT_FLOAT_EQ(scale, largest[static_cast<size_t>(at[axis])] / 127);
      EXPECT_LE(std::fabs(back.Number(i) - w.Number(i)), scale / 2 * 1.0001);
    }
  }
}

TEST(QuantizeWeight, BlocksWithARest) {
  const Tensor w = RandomTensor({70, 3}, 9);  // blocks of 32: 32, 32, 6
  for (DType dtype : {DType::kI4, DType::kU4, DType::kI8, DType::kU8}) {
    const QuantizedWeight q = QuantizeWeight(w, {dtype, 0, 32}).value();
    ASSERT_EQ(q.scales.shape(), (tensor::Shape{3, 3}));
    EXPECT_EQ(q.zeros.has_value(), dtype == DType::kU4 || dtype == DType::kU8);
    const Tensor back = Dequantized(q).value();
    for (int64_t i = 0; i < w.elements(); ++i) {
      const int64_t group = i / 3 / 32 * 3 + i % 3;
      // 4 bit ranges may be cut by up to a third where that lowers the squared error.
      const double most =
          q.scales.Number(group) * (dtype == DType::kI4 || dtype == DType::kU4 ? 4 : 0.51);
      EXPECT_LE(std::fabs(back.Number(i) - w.Number(i)), most) << DTypeName(dtype) << " " << i;
    }
  }
}

double SquaredError(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (int64_t i = 0; i < a.elements(); ++i) sum += std::pow(a.Number(i) - b.Number(i), 2);
  return sum;
}

// The searched scale is about as good as the best of a fine grid.
TEST(QuantizeWeight, FourBitSearchIsNearTheBestScale) {
  for (uint64_t seed = 1; seed < 20; ++seed) {
    const Tensor w = RandomTensor({64}, seed);
    const QuantizedWeight q = QuantizeWeight(w, {DType::kI4, -1}).value();
    const double got = SquaredError(w, Dequantized(q).value());
    double best = HUGE_VAL;
    for (double scale = 0.08; scale < 0.2; scale += 0.0005) {
      double error = 0;
      for (int64_t i = 0; i < 64; ++i) {
        const double x = w.Number(i);
        error += std::pow(x - scale * std::clamp(std::nearbyint(x / scale), -8.0, 7.0), 2);
      }
      best = std::min(best, error);
    }
    EXPECT_LE(got, best * 1.15) << seed;
  }
}

TEST(QuantizeWeight, EdgeCases) {
  Tensor zeros = Tensor::Zeros(DType::kF32, {2, 3}).value();
  const QuantizedWeight q = QuantizeWeight(zeros, {DType::kI8, 0}).value();
  EXPECT_GT(q.scales.Number(0), 0);
  EXPECT_EQ(SquaredError(zeros, Dequantized(q).value()), 0);
  EXPECT_TRUE(QuantizeWeight(Tensor::Zeros(DType::kF32, {0, 3}).value(), {DType::kI8, 1}).ok());
  EXPECT_TRUE(QuantizeWeight(Tensor::Zeros(DType::kF32, {3, 0}).value(), {DType::kI4, 1, 32}).ok());
  EXPECT_EQ(QuantizeWeight(zeros, {DType::kI8, 2}).status().code(), Code::kInvalidArgument);
  zeros.SetNumber(4, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(QuantizeWeight(zeros, {DType::kI8, 0}).status().code(), Code::kInvalidArgument);
  // A bound from below.
  const double least[] = {0.5, 0.25};
  EXPECT_EQ(QuantizeWeight(RandomTensor({2, 3}, 3), {DType::kI8, 0}, least)->scales.Number(1),
            0.25);
}

TEST(QuantizeBias, RoundsAndSaturates) {
  const float bias[] = {1.0f, -0.26f, 1e30f};
  const float scales[] = {0.5f, 0.1f, 1e-3f};
  const Tensor q = QuantizeBias(Tensor::Of<float>({3}, bias).value(), scales).value();
  EXPECT_EQ(q.Integer(0), 2);
  EXPECT_EQ(q.Integer(1), -3);
  EXPECT_EQ(q.Integer(2), std::numeric_limits<int32_t>::max());
}

}  // namespace
}  // namespace ferry::quant
