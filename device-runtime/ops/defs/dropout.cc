// Dropout (ONNX) at inference: the input. The mask output is not supported.
#include "device-runtime/ops/defs/view.h"

namespace ferry::ops {

extern const Op kDropoutOp;
const Op kDropoutOp = {"Dropout", 1, 3, 1, 1, InferSame, ReferenceView, LowerSame};

}  // namespace ferry::ops
