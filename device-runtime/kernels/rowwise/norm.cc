#include "device-runtime/kernels/rowwise/norm.h"

#include "device-runtime/kernels/parallel.h"
#include "device-runtime/kernels/rowwise/kernels.h"

namespace ferry::kernels {

void Norm(const KernelTable& table, sys::Parallel& parallel, int64_t rows, int64_t size,
          bool centered, float epsilon, const float* x, const float* scale, const float* bias,
          float* y) {
  if (size == 0) return;
  ForPieces(parallel, rows, size / 2, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      table.rowwise->norm(x + row * size, scale, bias, epsilon, centered, size, y + row * size);
    }
  });
}

}  // namespace ferry::kernels
