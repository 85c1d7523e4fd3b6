// GroupNormalization (ONNX): channels in groups, each standardised together. Scale and bias hold a
// number for each channel; in opset 18 for each group.
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/floats.h"

namespace ferry::ops {
namespace {

using ir::ValueId;

Status ExpandGroupNormalization(ExpandContext& c) {
  FERRY_TRY(CheckFloatInputs(c, {0, 1, 2}));
  const Shape& x = c.InputShape(0);
  if (x.rank() < 2) return Status::Of(Code::kShapeMismatch, "{} has no channels", x.ToString());
  FERRY_ASSIGN_OR_RETURN(const int64_t groups, c.Int("num_groups", 0));
  if (groups < 1 || groups > kMaxAttribute || x[1] % groups != 0) {
    return Status::Of(Code::kShapeMismatch, "{} groups of {} channels", groups, x[1]);
  }
  const bool by_group = c.version() < 21;
  const int64_t factors = by_group ? groups : x[1];
  FERRY_TRY(CheckInputShape(c, 1, {factors}));
  FERRY_TRY(CheckInputShape(c, 2, {factors}));
  FERRY_ASSIGN_OR_RETURN(const float epsilon, c.Float("epsilon", 1e-5f));
  const DType dtype = c.Input(0).dtype;
  FERRY_ASSIGN_OR_RETURN(
      const DType stash,
      FloatTypeAttribute(c, "stash_type", by_group ? WideFloat(dtype) : DType::kF32));
  // [batch, groups, channels of a group, inner]
  const int64_t inner = x.Product(2, x.rank());
  const std::vector<int64_t> grouped = {x[0], groups, x[1] / groups, inner};
  const std::vector<int64_t> factor_dims = {groups, by_group ? 1 : x[1] / groups, 1};
  const std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  const ValueId values = c.Reshape(c.Cast(c.In(0), stash), grouped);
  const Standardized s = Standardize(c, values, AxesBetween(2, 4), epsilon);
  const ValueId scale = c.Reshape(c.Cast(c.In(1), dtype), factor_dims);
  const ValueId shift = c.Reshape(c.Cast(c.In(2), dtype), factor_dims);
  const ValueId scaled = c.Add("Mul", {c.Cast(s.values, dtype), scale});
  c.SetOutput(0, c.Reshape(c.Add("Add", {scaled, shift}), dims));
  return OkStatus();
}

}  // namespace

extern const Op kGroupNormalizationOp;
const Op kGroupNormalizationOp = {.name = "GroupNormalization",
                                  .min_inputs = 3,
                                  .max_inputs = 3,
                                  .min_outputs = 1,
                                  .max_outputs = 1,
                                  .expand = ExpandGroupNormalization};

}  // namespace ferry::ops
