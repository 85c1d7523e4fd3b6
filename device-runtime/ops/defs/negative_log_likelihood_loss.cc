// NegativeLogLikelihoodLoss (ONNX): minus the logarithm at the target's class.
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/floats.h"
#include "device-runtime/ops/shared/reductions/loss.h"

namespace ferry::ops {
namespace {

Status ExpandNegativeLogLikelihoodLoss(ExpandContext& c) {
  FERRY_TRY(CheckLossInputs(c));
  return ExpandLoss(c, c.Cast(c.In(0), WideFloat(c.Input(0).dtype)));
}

}  // namespace

extern const Op kNegativeLogLikelihoodLossOp;
const Op kNegativeLogLikelihoodLossOp = {.name = "NegativeLogLikelihoodLoss",
                                         .min_inputs = 2,
                                         .max_inputs = 3,
                                         .min_outputs = 1,
                                         .max_outputs = 1,
                                         .expand = ExpandNegativeLogLikelihoodLoss};

}  // namespace ferry::ops
