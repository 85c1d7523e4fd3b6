// Reductions over all positions of each channel, of a value that lies channels-last.
#pragma once

#include <string>
#include <string_view>

#include "device-runtime/ops/lower_context.h"

namespace ferry::ops {

// Emits the reduction `kernel` of input 0 over axes 2 and up as the node's output 0 ([n,c] or
// [n,c,1,..], the same bytes).
inline void LowerSpatialReduce(LowerContext& c, std::string_view kernel) {
  const Shape& shape = c.InputShape(0);
  const bool last = c.IsChannelsLast(0);
  ir::ReducePrim prim{std::string(kernel), shape[0], shape.Product(2, shape.rank()), shape[1]};
  if (!last) prim = {prim.op, shape[0] * shape[1], prim.size, 1};
  const BufferId x = c.In(0, last ? Layout::kChannelsLast : Layout::kPlain);
  c.Emit(std::move(prim), {x}, c.Out(0));
}

}  // namespace ferry::ops
