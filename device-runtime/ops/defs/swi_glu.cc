// SwiGLU (ONNX): a * sigmoid(alpha * a) * b.
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/floats.h"

namespace ferry::ops {
namespace {

using ir::ValueId;

Status ExpandSwiGlu(ExpandContext& c) {
  FERRY_TRY(CheckFloatInputs(c, {0, 1}));
  FERRY_TRY(CheckInputShape(c, 1, c.InputShape(0).dims()));
  FERRY_ASSIGN_OR_RETURN(const float alpha, c.Float("alpha", 1.0f));
  const DType dtype = c.Input(0).dtype;
  const DType wide = WideFloat(dtype);
  const ValueId a = c.Cast(c.In(0), wide);
  ValueId gate;
  if (alpha == 1.0f) {
    gate = c.Add("Silu", {a});
  } else {
    const ValueId scaled = c.Add("Mul", {a, c.Number(wide, alpha)});
    gate = c.Add("Mul", {a, c.Add("Sigmoid", {scaled})});
  }
  c.SetOutput(0, c.Cast(c.Add("Mul", {gate, c.Cast(c.In(1), wide)}), dtype));
  return OkStatus();
}

}  // namespace

extern const Op kSwiGLUOp;
const Op kSwiGLUOp = {.name = "SwiGLU",
                      .min_inputs = 2,
                      .max_inputs = 2,
                      .min_outputs = 1,
                      .max_outputs = 1,
                      .expand = ExpandSwiGlu};

}  // namespace ferry::ops
