// Weights of convolutions that run as products.
#include <algorithm>

#include "device-runtime/kernels/conv/algorithms.h"
#include "device-runtime/kernels/gemm/gemm.h"
#include "device-runtime/kernels/gemm/kernels.h"

namespace ferry::kernels {

size_t PackedProductSize(const KernelTable& table, const ConvShape& s) {
  const int64_t depth = s.in_c / s.groups * s.kernel_h * s.kernel_w;
  return static_cast<size_t>(s.groups) * PackedBSize(table, depth, s.out_c / s.groups);
}

void PackProduct(const KernelTable& table, const ConvShape& s, const float* weights, float* packed,
                 const Tiles& tiles) {
  const int64_t in = s.in_c / s.groups;
  const int64_t out = s.out_c / s.groups;
  const int64_t taps = s.kernel_h * s.kernel_w;
  const int64_t vector = table.gemm->vector;
  const int64_t width = vector * FilledTiles(table, tiles).vectors;
  for (int64_t g = 0; g < s.groups; ++g) {
    const float* from = weights + g * out * in * taps;
    for (int64_t column = 0; column < out; column += width) {
      const int64_t count = std::min(width, out - column);
      const int64_t padded = (count + vector - 1) / vector * vector;
      if (taps == 1) {
        PackTransposed(in, count, from + column * in, in, padded, packed);
        packed += in * padded;
        continue;
      }
      for (int64_t t = 0; t < taps; ++t) {
        for (int64_t i = 0; i < in; ++i, packed += padded) {
          for (int64_t j = 0; j < count; ++j) {
            packed[j] = from[((column + j) * in + i) * taps + t];
          }
          std::fill(packed + count, packed + padded, 0.0f);
        }
      }
    }
  }
}

}  // namespace ferry::kernels
