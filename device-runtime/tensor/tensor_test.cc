#include "device-runtime/tensor/tensor.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include "common/base/memory.h"

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
