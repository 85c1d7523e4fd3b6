// Matrix products of other numbers than float32.
#pragma once

#include "common/sys/executor.h"
#include "device-runtime/tensor/dtype.h"

namespace ferry::kernels {

// Element (row, column) lies at row * row_stride + column * column_stride.
struct AnyMatrix {
  const void* data;
  int64_t row_stride, column_stride;
};

// y [m, n] dense = a b + bias [n]? + add [m, n]?; f64, or integers of 32 and 64 bits, which wrap.
// Sums run over k in order. False for other dtypes.
[[nodiscard]] bool GemmAny(sys::Parallel& parallel, tensor::DType dtype, int64_t m, int64_t n,
                           int64_t k, const AnyMatrix& a, const AnyMatrix& b, const void* bias,
                           const void* add, void* y);

}  // namespace ferry::kernels
