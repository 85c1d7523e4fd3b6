// GlobalMaxPool (ONNX).
#include "device-runtime/ops/shared/reductions/global_pool.h"

namespace ferry::ops {

extern const Op kGlobalMaxPoolOp;
const Op kGlobalMaxPoolOp = {"GlobalMaxPool", 1, 1, 1, 1, InferGlobalPool, ReferenceGlobalPool,
                             LowerGlobalPool};

}  // namespace ferry::ops
