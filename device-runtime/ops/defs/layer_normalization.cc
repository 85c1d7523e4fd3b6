// LayerNormalization (ONNX): standardised over the axes from `axis` on, in the precision of
// stash_type, then scaled and shifted in that of x.
#include "device-runtime/ops/defs/floats.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

using ir::ValueId;

Status ExpandLayerNormalization(ExpandContext& c) {
  FERRY_TRY(CheckFloatInputs(c, {0, 1, 2}));
  const Shape& x = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(const int axis, c.Axis(-1, x.rank()));
  FERRY_ASSIGN_OR_RETURN(const float epsilon, c.Float("epsilon", 1e-5f));
  FERRY_ASSIGN_OR_RETURN(const DType stash, FloatTypeAttribute(c, "stash_type", DType::kF32));
  for (int i = 1; i < c.input_count(); ++i) {
    if (c.HasInput(i)) FERRY_TRY(CheckBroadcastsTo(c, i, x));
  }
  const Standardized s =
      Standardize(c, c.Cast(c.In(0), stash), AxesBetween(axis, x.rank()), epsilon);
  ValueId y = c.Add("Mul", {c.Cast(s.values, c.Input(0).dtype), c.In(1)});
  if (c.HasInput(2)) y = c.Add("Add", {y, c.In(2)});
  c.SetOutput(0, y);
  c.SetOutput(1, s.mean);
  c.SetOutput(2, s.inverse_deviation);
  return OkStatus();
}

}  // namespace

extern const Op kLayerNormalizationOp;
const Op kLayerNormalizationOp = {.name = "LayerNormalization",
                                  .min_inputs = 2,
                                  .max_inputs = 3,
                                  .min_outputs = 1,
                                  .max_outputs = 3,
                                  .expand = ExpandLayerNormalization};

}  // namespace ferry::ops
