// Reductions over one axis of dense float32.
#pragma once

#include <cstdint>

#include "common/sys/executor.h"
#include "device-runtime/kernels/table.h"

namespace ferry::kernels {

enum class ReduceOp { kSum, kMean, kMax, kMin, kProd, kSumSquare, kL1, kL2 };
inline constexpr int kReduceOpCount = 8;

// x is [outer, size, inner], y [outer, inner], both dense. Several neighbouring axes are one
// `size`; others take a raster first. size = 0 gives 0 (1 for kProd, -/+ infinity for kMax/kMin,
// NaN for kMean); kMax and kMin of NaN are NaN. The order of a sum depends on the instruction set
// and `size` alone.
void Reduce(const KernelTable& table, sys::Parallel& parallel, ReduceOp op, int64_t outer,
            int64_t size, int64_t inner, const float* x, float* y);

}  // namespace ferry::kernels
