// SoftmaxCrossEntropyLoss (ONNX): NegativeLogLikelihoodLoss of LogSoftmax over the classes, which
// is the second output.
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/floats.h"
#include "device-runtime/ops/shared/reductions/loss.h"

namespace ferry::ops {
namespace {

Status ExpandSoftmaxCrossEntropyLoss(ExpandContext& c) {
  FERRY_TRY(CheckLossInputs(c));
  const DType dtype = c.Input(0).dtype;
  const ir::ValueId logarithms =
      c.Add("LogSoftmax", {c.Cast(c.In(0), WideFloat(dtype))}, {{"axis", int64_t{1}}});
  if (c.HasOutput(1)) c.SetOutput(1, c.Cast(logarithms, dtype));
  return ExpandLoss(c, logarithms);
}

}  // namespace

extern const Op kSoftmaxCrossEntropyLossOp;
const Op kSoftmaxCrossEntropyLossOp = {.name = "SoftmaxCrossEntropyLoss",
                                       .min_inputs = 2,
                                       .max_inputs = 3,
                                       .min_outputs = 1,
                                       .max_outputs = 2,
                                       .expand = ExpandSoftmaxCrossEntropyLoss};

}  // namespace ferry::ops
