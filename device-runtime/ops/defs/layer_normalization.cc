// LayerNormalization (ONNX): standardised over the axes from `axis` on, in the precision of
// stash_type, then scaled and shifted in that of x.
#include <array>

#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/floats.h"

namespace ferry::ops {
namespace {

using ir::ValueId;

// All in f32, factors of one number for each of a row's, and nobody asks for mean or deviation.
bool IsRowNorm(const ExpandContext& c, int axis, DType stash) {
  const Shape& x = c.InputShape(0);
  const int64_t size = x.Product(axis, x.rank());
  if (stash != DType::kF32 || c.HasOutput(1) || c.HasOutput(2)) return false;
  for (int i = 0; i < c.input_count(); ++i) {
    if (!c.HasInput(i)) continue;
    if (c.Input(i).dtype != DType::kF32) return false;
    if (i > 0 && c.InputShape(i).elements() != size) return false;
  }
  return true;
}

Status ExpandLayerNormalization(ExpandContext& c) {
  FERRY_TRY(CheckFloatInputs(c, {0, 1, 2}));
  const Shape& x = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(const int axis, c.Axis(-1, x.rank()));
  FERRY_ASSIGN_OR_RETURN(const float epsilon, c.Float("epsilon", 1e-5f));
  FERRY_ASSIGN_OR_RETURN(const DType stash, FloatTypeAttribute(c, "stash_type", DType::kF32));
  for (int i = 1; i < c.input_count(); ++i) {
    if (c.HasInput(i)) FERRY_TRY(CheckBroadcastsTo(c, i, x));
  }
  if (IsRowNorm(c, axis, stash)) {
    const std::array<ValueId, 3> inputs = {c.In(0), c.In(1),
                                           c.HasInput(2) ? c.In(2) : ir::kNoValue};
    c.SetOutput(0, c.Add("RowNorm", inputs, {{"axis", int64_t{axis}}, {"epsilon", epsilon}}));
    return OkStatus();
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
