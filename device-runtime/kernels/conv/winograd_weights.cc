// 3x3 kernels to points of Winograd's algorithms, packed as the right sides of their products.
#include <algorithm>

#include "device-runtime/kernels/conv/winograd.h"
#include "device-runtime/kernels/gemm/gemm.h"
#include "device-runtime/kernels/gemm/kernels.h"
#include "device-runtime/kernels/winograd/points.h"

namespace ferry::kernels {
namespace {

// Weights of one 3x3 kernel to points: G g G^T, in double precision.
template <int kOut>
void TransformWeights(const float* g, double* out) {
  static constexpr WinogradMatrices<kOut> kMatrices;
  constexpr int kIn = kOut + 2;
  const auto& m = kMatrices.g;
  for (int i = 0; i < kIn; ++i) {
    double half[3];
    for (int j = 0; j < 3; ++j) {
      half[j] = m[i][0] * static_cast<double>(g[j]) + m[i][1] * static_cast<double>(g[3 + j]) +
                m[i][2] * static_cast<double>(g[6 + j]);
    }
    for (int j = 0; j < kIn; ++j) {
      out[i * kIn + j] = half[0] * m[j][0] + half[1] * m[j][1] + half[2] * m[j][2];
    }
  }
}

}  // namespace

template <int kOut>
void PackWinograd(const KernelTable& table, const ConvShape& s, const float* weights, float* packed,
                  const Tiles& tiles) {
  constexpr int kPoints = (kOut + 2) * (kOut + 2);
  const int64_t vector = table.gemm->vector;
  const int64_t width = vector * FilledTiles(table, tiles).vectors;
  const size_t point_size = PackedBSize(table, s.in_c, s.out_c);
  std::fill_n(packed, kPoints * point_size, 0.0f);
  for (int64_t o = 0; o < s.out_c; ++o) {
    const int64_t column = o / width * width;
    const int64_t padded = (std::min(width, s.out_c - column) + vector - 1) / vector * vector;
    for (int64_t i = 0; i < s.in_c; ++i) {
      double points[kPoints];
      TransformWeights<kOut>(weights + (o * s.in_c + i) * 9, points);
      float* to = packed + column * s.in_c + i * padded + (o - column);
      for (int p = 0; p < kPoints; ++p) {
        to[static_cast<size_t>(p) * point_size] = static_cast<float>(points[p]);
      }
    }
  }
}

template void PackWinograd<2>(const KernelTable&, const ConvShape&, const float*, float*,
                              const Tiles&);
template void PackWinograd<4>(const KernelTable&, const ConvShape&, const float*, float*,
                              const Tiles&);
template void PackWinograd<6>(const KernelTable&, const ConvShape&, const float*, float*,
                              const Tiles&);

}  // namespace ferry::kernels
