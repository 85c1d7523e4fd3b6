// Taking slices by index. Source: own.
#pragma once

#include <cstdint>

#include "common/sys/executor.h"

namespace ferry::kernels {

// y[o, i, :] = x[o, indices[i], :]; x is [outer, size, inner], y [outer, count, inner], dense, in
// elements of element_bytes. Negative indices count from the end. False, and y unspecified, when an
// index is outside [-size, size): indices can be outside input.
[[nodiscard]] bool Gather(sys::Parallel& parallel, int element_bytes, int64_t outer, int64_t size,
                          int64_t inner, int64_t count, const int64_t* indices, const void* x,
                          void* y);

}  // namespace ferry::kernels
