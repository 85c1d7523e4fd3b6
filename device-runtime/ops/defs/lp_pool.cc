// LpPool (ONNX): (sum |x|^p)^(1/p) over each window; padding counts as zero.
#include "device-runtime/ops/shared/reductions/pool.h"

namespace ferry::ops {

extern const Op kLpPoolOp;
const Op kLpPoolOp = {"LpPool", 1, 1, 1, 1, InferPool, ReferencePool, LowerPool};

}  // namespace ferry::ops
