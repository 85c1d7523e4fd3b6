// Softmax and its logarithm. Before opset 13 the axes from `axis` on were one (attribute `flatten`
// says so too, whatever the opset).
#pragma once

#include "device-runtime/ops/op.h"

namespace ferry::ops {

Status InferSoftmax(InferContext& c);
Status ReferenceSoftmax(ReferenceContext& c);
Status LowerSoftmax(LowerContext& c);

}  // namespace ferry::ops
