// ArgMax (ONNX).
#include "device-runtime/ops/shared/reductions/arg_extreme.h"

namespace ferry::ops {

extern const Op kArgMaxOp;
const Op kArgMaxOp = {"ArgMax", 1, 1, 1, 1, InferArgExtreme, ReferenceArgExtreme, LowerArgExtreme};

}  // namespace ferry::ops
