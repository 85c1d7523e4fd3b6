// Adagrad (ONNX's training domain).
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/training.h"

namespace ferry::ops {
namespace {

using ir::ValueId;

Status AdagradUpdate(ExpandContext& c, Parameter& p) {
  FERRY_ASSIGN_OR_RETURN(const float decay, c.Float("decay_factor", 0));
  FERRY_ASSIGN_OR_RETURN(const float epsilon, c.Float("epsilon", 1e-6f));
  const ValueId slower =
      c.Add("Add", {c.Add("Mul", {p.updates, c.Number(p.dtype, decay)}), c.Number(p.dtype, 1)});
  const ValueId rate = c.Add("Div", {p.rate, slower});
  const ValueId squares = c.Add("Add", {p.states[0], c.Add("Mul", {p.gradient, p.gradient})});
  const ValueId divisor = c.Add("Add", {c.Add("Sqrt", {squares}), c.Number(p.dtype, epsilon)});
  const ValueId step = c.Add("Div", {c.Add("Mul", {rate, p.gradient}), divisor});
  p.x = c.Add("Sub", {p.x, step});
  p.states[0] = squares;
  return OkStatus();
}

Status ExpandAdagrad(ExpandContext& c) {
  return ExpandOptimizer(c, 1, AdagradUpdate);
}

}  // namespace

extern const Op kAdagradOp;
const Op kAdagradOp = {.name = "ai.onnx.preview.training:Adagrad",
                       .min_inputs = 3,
                       .max_inputs = kAnyCount,
                       .min_outputs = 1,
                       .max_outputs = kAnyCount,
                       .expand = ExpandAdagrad};

}  // namespace ferry::ops
