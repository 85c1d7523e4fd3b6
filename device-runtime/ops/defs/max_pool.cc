// MaxPool (ONNX). Indices count through all of the input.
#include "device-runtime/ops/shared/reductions/pool.h"

namespace ferry::ops {

extern const Op kMaxPoolOp;
const Op kMaxPoolOp = {"MaxPool", 1, 1, 1, 2, InferPool, ReferencePool, LowerPool};

}  // namespace ferry::ops
