// ArgMin (ONNX).
#include "device-runtime/ops/shared/reductions/arg_extreme.h"

namespace ferry::ops {

extern const Op kArgMinOp;
const Op kArgMinOp = {"ArgMin", 1, 1, 1, 1, InferArgExtreme, ReferenceArgExtreme, LowerArgExtreme};

}  // namespace ferry::ops
