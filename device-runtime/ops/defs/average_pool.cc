// AveragePool (ONNX).
#include "device-runtime/ops/shared/reductions/pool.h"

namespace ferry::ops {

extern const Op kAveragePoolOp;
const Op kAveragePoolOp = {"AveragePool", 1, 1, 1, 1, InferPool, ReferencePool, LowerPool};

}  // namespace ferry::ops
