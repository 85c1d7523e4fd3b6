// Random numbers by position: element i of a stream depends on its key and i alone, so that nothing
// depends on order or threads. Philox4x32-10 of Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3" (2011).
#pragma once

#include <cstdint>

#include "common/sys/executor.h"
#include "device-runtime/tensor/dtype.h"

namespace ferry::kernels {

// y[i] = number i of the stream times scale plus shift, in double, rounded once to f32 or f64.
// Uniform in [0, 1) (53 bits), or normal with mean 0 and variance 1 (Box and Muller, 1958). False
// for other dtypes.
struct RandomStream {
  uint64_t key;
  bool normal;
  double scale, shift;
};
[[nodiscard]] bool Random(sys::Parallel& parallel, tensor::DType dtype, const RandomStream& stream,
                          int64_t count, void* y);

// y [rows, samples] = classes of x [rows, classes] (f32 or f64), which holds logarithms of weights.
// `sums` is room for `classes` doubles; y is i64 or i32. -1, or the row that holds no weights.
int64_t Multinomial(tensor::DType dtype, uint64_t key, int64_t rows, int64_t classes,
                    int64_t samples, const void* x, bool wide, void* y, double* sums);

}  // namespace ferry::kernels
