// Determinants, by elimination with row exchanges in double.
#pragma once

#include "device-runtime/tensor/dtype.h"

namespace ferry::kernels {

// x [count, size, size] -> y [count], f32 or f64; `room` holds size * size doubles. False for other
// dtypes.
[[nodiscard]] bool Determinants(tensor::DType dtype, int64_t count, int64_t size, const void* x,
                                void* y, double* room);

}  // namespace ferry::kernels
