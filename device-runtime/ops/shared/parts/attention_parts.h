// Parts of attention that operators share: heads, and masks as numbers that are added to scores.
#pragma once

#include "device-runtime/ops/expand.h"

namespace ferry::ops {

// [batch, length, heads * size] as [batch, heads, length, size], and back. `heads` > 0 divides the
// last axis.
ir::ValueId SplitHeads(ExpandContext& c, ir::ValueId x, int64_t heads);
ir::ValueId JoinHeads(ExpandContext& c, ir::ValueId x);

// 0 where `allowed`, minus infinity elsewhere.
ir::ValueId BiasOf(ExpandContext& c, ir::ValueId allowed, DType dtype);

// Softmax over the last axis; rows whose bias is minus infinity throughout become 0. `bias`
// broadcasts to the scores, which have it already; kNoValue: no such rows.
ir::ValueId MaskedSoftmax(ExpandContext& c, ir::ValueId scores, ir::ValueId bias);

}  // namespace ferry::ops
