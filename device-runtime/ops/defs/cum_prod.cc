// CumProd (ONNX).
#include "device-runtime/ops/shared/reductions/running.h"

namespace ferry::ops {

extern const Op kCumProdOp;
const Op kCumProdOp = {"CumProd", 2, 2, 1, 1, InferRunning, ReferenceRunning, LowerRunning};

}  // namespace ferry::ops
