// Momentum (ONNX's training domain), plain or Nesterov's.
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/training.h"

namespace ferry::ops {
namespace {

using ir::ValueId;

Status Update(ExpandContext& c, Parameter& p) {
  for (const char* key : {"alpha", "beta", "mode", "norm_coefficient"}) {
    if (!c.Has(key)) return Status::Of(Code::kBadModel, "attribute '{}' is missing", key);
  }
  FERRY_ASSIGN_OR_RETURN(const float alpha, c.Float("alpha", 0));
  FERRY_ASSIGN_OR_RETURN(const float beta, c.Float("beta", 0));
  FERRY_ASSIGN_OR_RETURN(const std::string mode, c.Text("mode", ""));
  if (mode != "standard" && mode != "nesterov") {
    return Status::Of(Code::kBadModel, "mode '{}'", mode);
  }
  const ValueId keep = c.Number(p.dtype, alpha);
  // The first gradient counts in full.
  const ValueId later = c.Add("Greater", {p.updates, c.Number(p.dtype, 0)});
  const ValueId share = c.Add("Where", {later, c.Number(p.dtype, beta), c.Number(p.dtype, 1)});
  const ValueId momentum =
      c.Add("Add", {c.Add("Mul", {p.states[0], keep}), c.Add("Mul", {p.gradient, share})});
  ValueId direction = momentum;
  if (mode == "nesterov") {
    direction = c.Add("Add", {p.gradient, c.Add("Mul", {momentum, keep})});
  }
  p.x = c.Add("Sub", {p.x, c.Add("Mul", {p.rate, direction})});
  p.states[0] = momentum;
  return OkStatus();
}

Status ExpandMomentum(ExpandContext& c) {
  return ExpandOptimizer(c, 1, Update);
}

}  // namespace

extern const Op kMomentumOp;
const Op kMomentumOp = {.name = "ai.onnx.preview.training:Momentum",
                        .min_inputs = 3,
                        .max_inputs = kAnyCount,
                        .min_outputs = 1,
                        .max_outputs = kAnyCount,
                        .expand = ExpandMomentum};

}  // namespace ferry::ops
