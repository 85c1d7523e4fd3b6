#include "device-runtime/ir/kinds.h"

#include <gtest/gtest.h>

namespace ferry::ir {
namespace {

template <typename Kind>
void ExpectNames(Kind last, std::optional<Kind> (*of)(std::string_view)) {
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    const auto kind = static_cast<Kind>(i);
    EXPECT_EQ(of(Name(kind)), kind) << Name(kind);
  }
  EXPECT_EQ(of("Nothing of the kind"), std::nullopt);
}

TEST(Kinds, NamesAreThoseOfOneKind) {
  ExpectNames(ReduceKind::kArgMinLast, &ReduceKindOf);
  ExpectNames(Activation::kTanh, &ActivationOf);
  ExpectNames(CellFunction::kThresholdedRelu, &CellFunctionOf);
  ExpectNames(MapFunction::kConvert, &MapFunctionOf);
  EXPECT_EQ(Name(Activation::kNone), "");
  EXPECT_EQ(Name(ReduceKind::kSumSquare), "SumSquare");
  EXPECT_EQ(Name(CellFunction::kScaledTanh), "scaledtanh");
  EXPECT_EQ(Name(MapFunction::kShiftLeft), "ShiftLeft");
  EXPECT_TRUE(IsIndex(ReduceKind::kArgMinLast));
  EXPECT_FALSE(IsIndex(ReduceKind::kL2));
}

}  // namespace
}  // namespace ferry::ir
