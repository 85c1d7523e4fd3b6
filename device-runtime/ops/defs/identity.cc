// Identity (ONNX).
#include "device-runtime/ops/defs/view.h"

namespace ferry::ops {

extern const Op kIdentityOp;
const Op kIdentityOp = {"Identity", 1, 1, 1, 1, InferSame, ReferenceView, LowerSame};

}  // namespace ferry::ops
