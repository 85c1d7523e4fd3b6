// MaxPool (ONNX), without the Indices output.
#include "device-runtime/ops/defs/pool.h"

namespace ferry::ops {

extern const Op kMaxPoolOp;
const Op kMaxPoolOp = {"MaxPool", 1, 1, 1, 1, InferPool, ReferencePool, LowerPool};

}  // namespace ferry::ops
