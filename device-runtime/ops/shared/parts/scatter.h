// What Scatter and ScatterElements share.
#pragma once

#include "device-runtime/ops/op.h"

namespace ferry::ops {

Status InferScatterElements(InferContext& c);
Status ReferenceScatterElements(ReferenceContext& c);
Status LowerScatterElements(LowerContext& c);

}  // namespace ferry::ops
