// Scatter (ONNX, opsets 9 and 10): the first form of ScatterElements.
#include "device-runtime/ops/shared/parts/scatter.h"

namespace ferry::ops {

extern const Op kScatterOp;
const Op kScatterOp = {
    "Scatter", 3, 3, 1, 1, InferScatterElements, ReferenceScatterElements, LowerScatterElements};

}  // namespace ferry::ops
