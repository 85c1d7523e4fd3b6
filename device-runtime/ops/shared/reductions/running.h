// CumSum and CumProd (ONNX): sums and products of all elements up to each one along an axis;
// `exclusive` leaves out the element itself, `reverse` begins at the end.
#pragma once

#include "device-runtime/ops/op.h"

namespace ferry::ops {

Status InferRunning(InferContext& c);
Status ReferenceRunning(ReferenceContext& c);
Status LowerRunning(LowerContext& c);

}  // namespace ferry::ops
