// LogSoftmax (ONNX).
#include "device-runtime/ops/shared/reductions/softmax_family.h"

namespace ferry::ops {

extern const Op kLogSoftmaxOp;
const Op kLogSoftmaxOp = {"LogSoftmax", 1, 1, 1, 1, InferSoftmax, ReferenceSoftmax, LowerSoftmax};

}  // namespace ferry::ops
