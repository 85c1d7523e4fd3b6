// Shrink (ONNX): x + bias below -lambd, x - bias above lambd, 0 between.
#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/exact.h"

namespace ferry::ops {
namespace {

Status InferShrink(InferContext& c) {
  FERRY_TRY(CheckKinds(c, 0, Kinds::Number));
  c.SetOutput(0, c.Input(0).dtype, c.InputShape(0));
  return OkStatus();
}

Status ReferenceShrink(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const double bias, c.Float("bias", 0.0f));
  FERRY_ASSIGN_OR_RETURN(const double threshold, c.Float("lambd", 0.5f));
  for (int64_t i = 0; i < c.In(0).elements(); ++i) {
    const double x = c.In(0).Number(i);
    c.Out(0).SetNumber(i, x < -threshold ? x + bias : x > threshold ? x - bias : 0.0);
  }
  return OkStatus();
}

Status LowerShrink(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(const double bias, c.Float("bias", 0.0f));
  FERRY_ASSIGN_OR_RETURN(const double threshold, c.Float("lambd", 0.5f));
  MapBuilder map(c, c.OutputShape(0));
  const auto x = map.Input(0);
  // Integers go through doubles, and stop at the ends of their dtype.
  const bool is_float = tensor::IsFloat(c.Input(0).dtype);
  const auto v = is_float ? x : map.Convert(x, ir::MapType::kF64);
  const auto shift = map.Number(v, bias);
  const auto above = map.Call("Select", map.Call("Less", map.Number(v, threshold), v),
                              map.Call("Sub", v, shift), map.Number(v, 0));
  const auto y = map.Call("Select", map.Call("Less", v, map.Number(v, -threshold)),
                          map.Call("Add", v, shift), above);
  map.Output(0, map.Narrow(y, c.Input(0).dtype));
  map.Emit();
  return OkStatus();
}

}  // namespace

extern const Op kShrinkOp;
const Op kShrinkOp = {"Shrink", 1, 1, 1, 1, InferShrink, ReferenceShrink, LowerShrink};

}  // namespace ferry::ops
