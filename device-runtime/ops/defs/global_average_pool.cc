// GlobalAveragePool (ONNX).
#include "device-runtime/ops/shared/reductions/global_pool.h"

namespace ferry::ops {

extern const Op kGlobalAveragePoolOp;
const Op kGlobalAveragePoolOp = {
    "GlobalAveragePool", 1, 1, 1, 1, InferGlobalPool, ReferenceGlobalPool, LowerGlobalPool};

}  // namespace ferry::ops
