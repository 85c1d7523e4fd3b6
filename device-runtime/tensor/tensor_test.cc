#include "device-runtime/tensor/tensor.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include "common/base/memory.h"
#include "device-runtime/tensor/minifloat.h"

namespace ferry::tensor {
namespace {

TEST(Shape, LimitsOfOutsideInput) {
  EXPECT_EQ(Shape::Make(std::vector<int64_t>{-1}).code(), Code::kShapeMismatch);
  EXPECT_EQ(Shape::Make(std::vector<int64_t>(kMaxRank + 1, 1)).code(), Code::kShapeMismatch);
  EXPECT_TRUE(Shape::Make(std::vector<int64_t>(kMaxRank, 1)).ok());
  EXPECT_TRUE(Shape::Make(std::vector<int64_t>{kMaxElements}).ok());
  EXPECT_EQ(Shape::Make(std::vector<int64_t>{kMaxElements, 2}).code(), Code::kShapeMismatch);
  EXPECT_EQ(Shape::Make(std::vector<int64_t>{0, kMaxElements, 2}).code(), Code::kShapeMismatch);
}

TEST(Shape, Broadcasting) {
  EXPECT_EQ(BroadcastShapes({2, 1, 4}, {3, 1}).value(), (Shape{2, 3, 4}));
  EXPECT_EQ(BroadcastShapes({}, {3}).value(), (Shape{3}));
  EXPECT_EQ(BroadcastShapes({2}, {3}).code(), Code::kShapeMismatch);
  const Strides strides = BroadcastStrides({3, 1}, {2, 3, 4});
  EXPECT_EQ(strides[0], 0);
  EXPECT_EQ(strides[1], 1);
  EXPECT_EQ(strides[2], 0);
}

TEST(BFloat16, EveryValueSurvivesTheWayThroughFloat) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = BFloat16ToFloat(static_cast<uint16_t>(bits));
    if (std::isnan(value)) continue;
    ASSERT_EQ(FloatToBFloat16(value), bits) << value;
  }
  EXPECT_EQ(FloatToBFloat16(1.0f + 1.0f / 256), FloatToBFloat16(1.0f));  // a tie goes to even
}

constexpr DType kMini[] = {DType::kF8E4M3FN,   DType::kF8E4M3FNUZ, DType::kF8E5M2,
                           DType::kF8E5M2FNUZ, DType::kF8E8M0,     DType::kF4E2M1};

TEST(MiniFloat, EveryValueSurvivesTheWayThroughFloat) {
  for (DType dtype : kMini) {
    for (int bits = 0; bits < (dtype == DType::kF4E2M1 ? 16 : 256); ++bits) {
      const float value = MiniToFloat(dtype, static_cast<uint8_t>(bits));
      const uint8_t back = FloatToMini(dtype, value, false);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(MiniToFloat(dtype, back))) << DTypeName(dtype) << " " << bits;
      } else {
        EXPECT_EQ(back, bits) << DTypeName(dtype) << " " << value;
      }
    }
  }
}

// The naive path: the nearest of all values, ties to the even bits.
TEST(MiniFloat, RoundsToTheNearest) {
  for (DType dtype : kMini) {
    if (dtype == DType::kF8E8M0) continue;
    const int count = dtype == DType::kF4E2M1 ? 16 : 256;
    for (int i = -4000; i < 4000; ++i) {
      const float x = static_cast<float>(i) * 0.00371f * static_cast<float>(1 + std::abs(i) % 7);
      int best = -1;
      double distance = 0;
      for (int bits = 0; bits < count; ++bits) {
        const double y = MiniToFloat(dtype, static_cast<uint8_t>(bits));
        if (!std::isfinite(y)) continue;
        const double d = std::abs(y - static_cast<double>(x));
        if (best < 0 || d < distance || (d == distance && bits % 2 == 0)) {
          best = bits;
          distance = d;
        }
      }
      const float expected = MiniToFloat(dtype, static_cast<uint8_t>(best));
      EXPECT_EQ(MiniToFloat(dtype, FloatToMini(dtype, x)), expected)
          << DTypeName(dtype) << " " << x;
    }
  }
}

TEST(MiniFloat, EndsOfTheRange) {
  EXPECT_EQ(MiniToFloat(DType::kF8E4M3FN, FloatToMini(DType::kF8E4M3FN, 1e9f)), 448);
  EXPECT_TRUE(
      std::isnan(MiniToFloat(DType::kF8E4M3FN, FloatToMini(DType::kF8E4M3FN, 1e9f, false))));
  EXPECT_EQ(MiniToFloat(DType::kF8E5M2, FloatToMini(DType::kF8E5M2, -1e9f)), -57344);
  EXPECT_EQ(MiniToFloat(DType::kF8E5M2, FloatToMini(DType::kF8E5M2, 1e9f, false)),
            std::numeric_limits<float>::infinity());
  EXPECT_EQ(FloatToMini(DType::kF8E5M2FNUZ, -0.0f), 0);
  EXPECT_EQ(MiniToFloat(DType::kF4E2M1, FloatToMini(DType::kF4E2M1, -100.0f)), -6);
}

TEST(Tensor, IntegersOfFewBits) {
  Tensor t = Tensor::Zeros(DType::kI4, {3}).value();
  t.SetNumber(0, -100);
  t.SetNumber(1, 100);
  t.SetInteger(2, 9);  // wraps
  EXPECT_EQ(t.Integer(0), -8);
  EXPECT_EQ(t.Integer(1), 7);
  EXPECT_EQ(t.Integer(2), -7);
  Tensor u = Tensor::Zeros(DType::kU64, {1}).value();
  u.SetNumber(0, 0x1p63);
  EXPECT_EQ(u.Number(0), 0x1p63);
}

TEST(Tensor, StringsLiveWithTheirCopies) {
  const std::string texts[] = {"", "ferry", "a longer text than fits in a word"};
  Tensor copy;
  {
    Tensor t = Tensor::Strings({3}, texts).value();
    copy = t.Clone().value();
  }
  for (int i = 0; i < 3; ++i) EXPECT_EQ(copy.Text(i), texts[i]);
}

// The double is a little above the middle of two halves; as float it would be the middle.
TEST(Half, DoublesRoundOnce) {
  Tensor tensor = Tensor::Zeros(DType::kF16, {2}).value();
  tensor.SetNumber(0, 1.0 + 0x1p-11 + 0x1p-40);
  tensor.SetNumber(1, -(1.0 + 0x3p-11 - 0x1p-40));
  EXPECT_EQ(tensor.Number(0), 1.0 + 0x1p-10);
  EXPECT_EQ(tensor.Number(1), -(1.0 + 0x1p-10));
}

TEST(Half, EveryHalfSurvivesTheWayThroughFloat) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = HalfToFloat(static_cast<uint16_t>(bits));
    if (std::isnan(value)) continue;
    ASSERT_EQ(FloatToHalf(value), bits) << value;
  }
  EXPECT_EQ(HalfToFloat(FloatToHalf(65520.0f)), std::numeric_limits<float>::infinity());
  EXPECT_EQ(HalfToFloat(FloatToHalf(65519.0f)), 65504.0f);
  EXPECT_EQ(FloatToHalf(1.0f + 1.0f / 2048), FloatToHalf(1.0f));  // a tie goes to even
  EXPECT_TRUE(std::isnan(HalfToFloat(FloatToHalf(NAN))));
}

TEST(Tensor, BudgetRefusesAndGivesBack) {
  auto budget = std::make_shared<MemoryBudget>(100);
  {
    auto a = Tensor::Allocate(DType::kF32, {25}, budget);
    ASSERT_TRUE(a.ok());
    EXPECT_EQ(budget->used(), 100);
    auto b = Tensor::Allocate(DType::kI8, {1}, budget);
    EXPECT_EQ(b.code(), Code::kOutOfMemory);
    EXPECT_NE(b.status().message().find("100"), std::string::npos);
  }
  EXPECT_EQ(budget->used(), 0);
}

TEST(Tensor, FailingAllocationIsAStatus) {
  auto budget = std::make_shared<MemoryBudget>(100);
  FailAllocations fail(1);
  EXPECT_EQ(Tensor::Allocate(DType::kF32, {4}, budget).code(), Code::kOutOfMemory);
  EXPECT_EQ(budget->used(), 0);
}

TEST(Tensor, NumbersSaturate) {
  Tensor t = Tensor::Zeros(DType::kI8, {3}).value();
  t.SetNumber(0, 300);
  t.SetNumber(1, -1.9);
  t.SetNumber(2, NAN);
  EXPECT_EQ(t.Integer(0), 127);
  EXPECT_EQ(t.Integer(1), -1);
  EXPECT_EQ(t.Integer(2), 0);
  Tensor wide = Tensor::Zeros(DType::kI64, {1}).value();
  wide.SetNumber(0, 1e300);
  EXPECT_EQ(wide.Integer(0), std::numeric_limits<int64_t>::max());
}

TEST(Tensor, CompareSeesNaNOnOneSide) {
  const float one[] = {1, NAN};
  const float two[] = {1, 2};
  Tensor a = Tensor::Of<float>({2}, one).value();
  Tensor b = Tensor::Of<float>({2}, two).value();
  EXPECT_EQ(Compare(a, a)->max_abs, 0);
  EXPECT_EQ(Compare(a, b)->max_abs, INFINITY);
  EXPECT_EQ(Compare(b, b.Reshaped({2, 1}).value()).code(), Code::kShapeMismatch);
}

}  // namespace
}  // namespace ferry::tensor
