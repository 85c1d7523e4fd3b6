// Swish (ONNX): x * sigmoid(alpha * x).
#include "device-runtime/ops/expand.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/exact.h"

namespace ferry::ops {
namespace {

Status ExpandSwish(ExpandContext& c) {
  FERRY_TRY(CheckKinds(c, 0, Kinds::Float));
  FERRY_ASSIGN_OR_RETURN(const float alpha, c.Float("alpha", 1.0f));
  if (alpha == 1.0f) {
    c.SetOutput(0, c.Add("Silu", {c.In(0)}));
    return OkStatus();
  }
  const DType dtype = c.Input(0).dtype;
  const DType wide = dtype == DType::kF64 ? dtype : DType::kF32;
  const ir::ValueId x = c.Cast(c.In(0), wide);
  const ir::ValueId gate = c.Add("Sigmoid", {c.Add("Mul", {x, c.Number(wide, alpha)})});
  c.SetOutput(0, c.Cast(c.Add("Mul", {x, gate}), dtype));
  return OkStatus();
}

}  // namespace

extern const Op kSwishOp;
const Op kSwishOp = {.name = "Swish",
                     .min_inputs = 1,
                     .max_inputs = 1,
                     .min_outputs = 1,
                     .max_outputs = 1,
                     .expand = ExpandSwish};

}  // namespace ferry::ops
