#include <algorithm>
#include <cstring>

#include "device-runtime/kernels/gemm/gemm.h"
#include "device-runtime/kernels/gemm/kernels.h"
#include "device-runtime/kernels/raster/raster.h"

namespace ferry::kernels {

size_t PackedBSize(const KernelTable& table, int64_t k, int64_t n) {
  const int64_t vector = table.gemm->vector;
  return static_cast<size_t>(k * ((n + vector - 1) / vector * vector));
}

void PackTransposed(int64_t k, int64_t count, const float* from, int64_t stride, int64_t padded,
                    float* packed) {
  Region region;
  region.rank = 2;
  region.size[0] = k;
  region.size[1] = count;
  region.from_stride[0] = 1;
  region.from_stride[1] = stride;
  region.to_stride[0] = padded;
  region.to_stride[1] = 1;
  Copy(sys::SerialParallel(), sizeof(float), region, from, packed);
  if (count == padded) return;
  for (int64_t i = 0; i < k; ++i) {
    std::fill(packed + i * padded + count, packed + (i + 1) * padded, 0.0f);
  }
}

void PackB(const KernelTable& table, int64_t k, int64_t n, const MatrixView& b, float* packed,
           const Tiles& tiles) {
  const int64_t vector = table.gemm->vector;
  const int64_t width = vector * FilledTiles(table, tiles).vectors;
  for (int64_t column = 0; column < n; column += width) {
    const int64_t count = std::min(width, n - column);
    const int64_t padded = (count + vector - 1) / vector * vector;
    if (b.row_stride == 1 && b.column_stride > 1) {
      PackTransposed(k, count, b.data + column * b.column_stride, b.column_stride, padded, packed);
      packed += k * padded;
      continue;
    }
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
