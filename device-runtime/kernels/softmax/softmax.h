// Softmax and its logarithm over one axis of dense float32.
#pragma once

#include <cstdint>

#include "common/sys/executor.h"
#include "device-runtime/kernels/table.h"

namespace ferry::kernels {

// The tensor is [outer, size, inner], dense; the function runs over the middle axis. y may be x.
// Sums are subtracted the row's maximum first, so large inputs do not overflow.
void Softmax(const KernelTable& table, sys::Parallel& parallel, int64_t outer, int64_t size,
             int64_t inner, bool logarithm, const float* x, float* y);

}  // namespace ferry::kernels
