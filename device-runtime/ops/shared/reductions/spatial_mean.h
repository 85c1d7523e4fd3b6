// Reductions over all positions of each channel, of a value that lies channels-last.
#pragma once

#include "device-runtime/ops/lower_context.h"

namespace ferry::ops {

// Emits the reduction of input 0 over axes 2 and up as the node's output 0 ([n,c] or
// [n,c,1,..], the same bytes).
inline void LowerSpatialReduce(LowerContext& c, ir::ReduceKind kind) {
  const Shape& shape = c.InputShape(0);
  const bool last = c.IsChannelsLast(0);
  ir::ReducePrim prim{kind, shape[0], shape.Product(2, shape.rank()), shape[1]};
  if (!last) prim = {kind, shape[0] * shape[1], prim.size, 1};
  const BufferId x = c.In(0, last ? Layout::kChannelsLast : Layout::kPlain);
  c.Emit(prim, {x}, c.Out(0));
}

}  // namespace ferry::ops
