#include <algorithm>
#include <cstring>

#include "device-runtime/kernels/gemm/gemm.h"
#include "device-runtime/kernels/gemm/kernels.h"

namespace ferry::kernels {

size_t PackedBSize(const KernelTable& table, int64_t k, int64_t n) {
  const int64_t vector = table.gemm->vector;
  return static_cast<size_t>(k * ((n + vector - 1) / vector * vector));
}

void PackB(const KernelTable& table, int64_t k, int64_t n, const MatrixView& b, float* packed) {
  const int64_t vector = table.gemm->vector;
  const int64_t width = table.gemm->PanelWidth();
  for (int64_t column = 0; column < n; column += width) {
    const int64_t count = std::min(width, n - column);
    const int64_t padded = (count + vector - 1) / vector * vector;
    for (int64_t i = 0; i < k; ++i, packed += padded) {
      const float* from = b.data + i * b.row_stride + column * b.column_stride;
      if (b.column_stride == 1) {
        std::memcpy(packed, from, static_cast<size_t>(count) * sizeof(float));
      } else {
        for (int64_t j = 0; j < count; ++j) packed[j] = from[j * b.column_stride];
      }
      std::fill(packed + count, packed + padded, 0.0f);
    }
  }
}

}  // namespace ferry::kernels
