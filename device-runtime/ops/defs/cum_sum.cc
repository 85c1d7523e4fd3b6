// CumSum (ONNX).
#include "device-runtime/ops/shared/reductions/running.h"

namespace ferry::ops {

extern const Op kCumSumOp;
const Op kCumSumOp = {"CumSum", 2, 2, 1, 1, InferRunning, ReferenceRunning, LowerRunning};

}  // namespace ferry::ops
