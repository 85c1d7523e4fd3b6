// InstanceNormalization (ONNX): each plane of each image standardised by itself, then scaled and
// shifted by channel.
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/floats.h"

namespace ferry::ops {
namespace {

using ir::ValueId;

Status ExpandInstanceNormalization(ExpandContext& c) {
  FERRY_TRY(CheckFloatInputs(c, {0, 1, 2}));
  const Shape& shape = c.InputShape(0);
  if (shape.rank() < 2)
    return Status::Of(Code::kShapeMismatch, "{} has no channels", shape.ToString());
  FERRY_TRY(CheckInputShape(c, 1, {shape[1]}));
  FERRY_TRY(CheckInputShape(c, 2, {shape[1]}));
  FERRY_ASSIGN_OR_RETURN(const float epsilon, c.Float("epsilon", 1e-5f));
  const DType wide = WideFloat(c.Input(0).dtype);
  std::vector<int64_t> by_channel(static_cast<size_t>(shape.rank() - 1), 1);
  by_channel[0] = shape[1];
  const ValueId scale = c.Reshape(c.Cast(c.In(1), wide), by_channel);
  const ValueId shift = c.Reshape(c.Cast(c.In(2), wide), by_channel);
  const Standardized s =
      Standardize(c, c.Cast(c.In(0), wide), AxesBetween(2, shape.rank()), epsilon);
  const ValueId y = c.Add("Add", {c.Add("Mul", {s.values, scale}), shift});
  c.SetOutput(0, c.Cast(y, c.Input(0).dtype));
  return OkStatus();
}

}  // namespace

extern const Op kInstanceNormalizationOp;
const Op kInstanceNormalizationOp = {.name = "InstanceNormalization",
                                     .min_inputs = 3,
                                     .max_inputs = 3,
                                     .min_outputs = 1,
                                     .max_outputs = 1,
                                     .expand = ExpandInstanceNormalization};

}  // namespace ferry::ops
