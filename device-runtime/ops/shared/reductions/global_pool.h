// Pools over all positions of a channel: [n,c,..] to [n,c,1,..].
#pragma once

#include "device-runtime/ops/op.h"

namespace ferry::ops {

Status InferGlobalPool(InferContext& c);
Status ReferenceGlobalPool(ReferenceContext& c);
Status LowerGlobalPool(LowerContext& c);

}  // namespace ferry::ops
