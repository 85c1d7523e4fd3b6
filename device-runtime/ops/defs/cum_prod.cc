// CumProd (ONNX).
#include "device-runtime/ops/defs/running.h"

namespace ferry::ops {

extern const Op kCumProdOp;
const Op kCumProdOp = {"CumProd", 2, 2, 1, 1, InferRunning, ReferenceRunning, LowerRunning};

}  // namespace ferry::ops
