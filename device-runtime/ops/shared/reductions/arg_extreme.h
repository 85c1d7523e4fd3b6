// ArgMax and ArgMin (ONNX): the index of the extreme element of an axis, NaN if there is one; of
// equal ones the first, or with select_last_index the last.
#pragma once

#include "device-runtime/ops/op.h"

namespace ferry::ops {

Status InferArgExtreme(InferContext& c);
Status ReferenceArgExtreme(ReferenceContext& c);
Status LowerArgExtreme(LowerContext& c);

}  // namespace ferry::ops
