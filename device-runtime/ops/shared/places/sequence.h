// Positions in sequences.
#pragma once

#include "device-runtime/ops/shared/places/slab.h"

namespace ferry::ops {

// Input `i`, a position in [-count, count), or up to count with `or_end`, normalised; kOutOfRange.
// `fallback` when it is left out.
inline Result<size_t> PositionIn(const EvaluateContext& c, int i, size_t count, bool or_end,
                                 int64_t fallback) {
  const auto size = static_cast<int64_t>(count);
  int64_t position = fallback;
  if (c.HasValue(i)) {
    FERRY_ASSIGN_OR_RETURN(Tensor given, c.TensorIn(i));
    FERRY_ASSIGN_OR_RETURN(position, OneInteger(given));
  }
  if (position < -size || position >= size + (or_end ? 1 : 0)) {
    return Status::Of(Code::kOutOfRange, "position {} in a sequence of {}", position, size);
  }
  return static_cast<size_t>(position < 0 ? position + size : position);
}

}  // namespace ferry::ops
