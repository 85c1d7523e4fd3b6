// Reductions of any numbers, and indices of the largest and least.
#pragma once

#include "common/sys/executor.h"
#include "device-runtime/kernels/reduce/reduce.h"
#include "device-runtime/tensor/dtype.h"

namespace ferry::kernels {

// As Reduce, of numbers (WithNumber): floats are summed in double, integers wrap in 64 bits and
// keep their low bits; means of integers truncate (of nothing: 0), kL2 goes through double. kMax
// and kMin of nothing give the ends of the dtype's range. False for other dtypes.
[[nodiscard]] bool ReduceAny(sys::Parallel& parallel, tensor::DType dtype, ReduceOp op,
                             int64_t outer, int64_t size, int64_t inner, const void* x, void* y);

// For each (outer, inner) the index of the largest (or least) of `size` > 0 elements, the first or
// the last among equals; NaN always wins. False for other dtypes than numbers.
[[nodiscard]] bool ArgExtreme(sys::Parallel& parallel, tensor::DType dtype, bool largest, bool last,
                              int64_t outer, int64_t size, int64_t inner, const void* x,
                              int64_t* y);

}  // namespace ferry::kernels
