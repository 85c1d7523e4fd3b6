// Max, average and Lp pools share everything but the value of a window.
#pragma once

#include "device-runtime/ops/op.h"

namespace ferry::ops {

Status InferPool(InferContext& c);
Status ReferencePool(ReferenceContext& c);
Status LowerPool(LowerContext& c);

}  // namespace ferry::ops
