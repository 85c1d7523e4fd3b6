// RMSNormalization (ONNX): x divided by the root of the mean square over the axes from `axis` on,
// in the precision of stash_type, then scaled in the precision of scale.
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/floats.h"

namespace ferry::ops {
namespace {

using ir::ValueId;

Status ExpandRmsNormalization(ExpandContext& c) {
  FERRY_TRY(CheckFloatInputs(c, {0, 1}));
  const Shape& shape = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(const int axis, c.Axis(-1, shape.rank()));
  FERRY_ASSIGN_OR_RETURN(const float epsilon, c.Float("epsilon", 1e-5f));
  FERRY_ASSIGN_OR_RETURN(const DType stash, FloatTypeAttribute(c, "stash_type", DType::kF32));
  FERRY_TRY(CheckBroadcastsTo(c, 1, shape));
  const bool plain = stash == DType::kF32 && c.Input(0).dtype == stash && c.Input(1).dtype == stash;
  if (plain && c.InputShape(1).elements() == shape.Product(axis, shape.rank())) {
    c.SetOutput(0,
                c.Add("RowNorm", {c.In(0), c.In(1)},
                      {{"axis", int64_t{axis}}, {"centered", int64_t{0}}, {"epsilon", epsilon}}));
    return OkStatus();
  }
  const ValueId x = c.Cast(c.In(0), stash);
  const ValueId squares = MeanOver(c, c.Add("Mul", {x, x}), AxesBetween(axis, shape.rank()));
  const ValueId root = c.Add("Sqrt", {c.Add("Add", {squares, c.Number(stash, epsilon)})});
  const ValueId normalized = c.Cast(c.Add("Div", {x, root}), c.Input(0).dtype);
  c.SetOutput(0, c.Add("Mul", {c.Cast(normalized, c.Input(1).dtype), c.In(1)}));
  return OkStatus();
}

}  // namespace

extern const Op kRMSNormalizationOp;
const Op kRMSNormalizationOp = {.name = "RMSNormalization",
                                .min_inputs = 2,
                                .max_inputs = 2,
                                .min_outputs = 1,
                                .max_outputs = 1,
                                .expand = ExpandRmsNormalization};

}  // namespace ferry::ops
