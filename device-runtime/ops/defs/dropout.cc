// Dropout (ONNX) at inference: the input. The mask output is not supported.
#include "device-runtime/ops/defs/view.h"

namespace ferry::ops {
namespace {

Status InferDropout(InferContext& c) {
  if (c.HasInput(2)) {
    const ValueInfo& training = c.Input(2);
    if (!training.constant || training.shape.elements() != 1 || training.constant->Number(0) != 0) {
      return Status(Code::kUnsupported, "training mode is not supported");
    }
  }
  return InferSame(c);
}

}  // namespace

extern const Op kDropoutOp;
const Op kDropoutOp = {"Dropout", 1, 3, 1, 1, InferDropout, ReferenceView, LowerSame};

}  // namespace ferry::ops
