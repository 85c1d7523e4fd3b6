// ScatterElements (ONNX): each update goes to the element of its own place, but for one axis, where
// the index says.
#include "device-runtime/ops/shared/parts/scatter.h"

namespace ferry::ops {

extern const Op kScatterElementsOp;
const Op kScatterElementsOp = {
    "ScatterElements",   3, 3, 1, 1, InferScatterElements, ReferenceScatterElements,
    LowerScatterElements};

}  // namespace ferry::ops
