// Adam (ONNX's training domain).
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/training.h"

namespace ferry::ops {
namespace {

using ir::ValueId;

// factor * a + (1 - factor) * b
ValueId Blend(ExpandContext& c, DType dtype, float factor, ValueId a, ValueId b) {
  return c.Add("Add", {c.Add("Mul", {a, c.Number(dtype, factor)}),
                       c.Add("Mul", {b, c.Number(dtype, 1.0 - factor)})});
}

// 1 - factor^updates
ValueId Correction(ExpandContext& c, const Parameter& p, float factor) {
  const ValueId power = c.Add("Pow", {c.Number(p.dtype, factor), p.updates});
  return c.Add("Sub", {c.Number(p.dtype, 1), power});
}

Status AdamUpdate(ExpandContext& c, Parameter& p) {
  FERRY_ASSIGN_OR_RETURN(const float alpha, c.Float("alpha", 0.9f));
  FERRY_ASSIGN_OR_RETURN(const float beta, c.Float("beta", 0.999f));
  FERRY_ASSIGN_OR_RETURN(const float epsilon, c.Float("epsilon", 1e-6f));
  FERRY_ASSIGN_OR_RETURN(const float norm_post, c.Float("norm_coefficient_post", 0));
  const ValueId mean = Blend(c, p.dtype, alpha, p.states[0], p.gradient);
  const ValueId square =
      Blend(c, p.dtype, beta, p.states[1], c.Add("Mul", {p.gradient, p.gradient}));
  const ValueId root = c.Add("Add", {c.Add("Sqrt", {square}), c.Number(p.dtype, epsilon)});
  // From the second update on the means are corrected for having started at 0.
  const ValueId corrected = c.Add(
      "Div",
      {c.Add("Mul", {p.rate, c.Add("Sqrt", {Correction(c, p, beta)})}), Correction(c, p, alpha)});
  const ValueId later = c.Add("Greater", {p.updates, c.Number(p.dtype, 0)});
  const ValueId rate = c.Add("Where", {later, corrected, p.rate});
  const ValueId step = c.Add("Mul", {rate, c.Add("Div", {mean, root})});
  p.x = c.Add("Mul", {c.Add("Sub", {p.x, step}), c.Number(p.dtype, 1.0 - norm_post)});
  p.states = {mean, square};
  return OkStatus();
}

Status ExpandAdam(ExpandContext& c) {
  return ExpandOptimizer(c, 2, AdamUpdate);
}

}  // namespace

extern const Op kAdamOp;
const Op kAdamOp = {.name = "ai.onnx.preview.training:Adam",
                    .min_inputs = 3,
                    .max_inputs = kAnyCount,
                    .min_outputs = 1,
                    .max_outputs = kAnyCount,
                    .expand = ExpandAdam};

}  // namespace ferry::ops
