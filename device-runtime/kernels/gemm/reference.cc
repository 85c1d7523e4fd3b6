#include "device-runtime/kernels/gemm/kernels.h"

namespace ferry::kernels {
namespace {

constexpr int kColumns = 8;

template <int kRows>
void Tile(const TileArgs& t) {
  float sum[kRows][kColumns] = {};
  if (t.accumulate) {
    for (int r = 0; r < kRows; ++r) {
      for (int64_t j = 0; j < t.columns; ++j) sum[r][j] = t.c[r * t.c_stride + j];
    }
  }
  const float* b = t.b;
  for (int64_t tap = 0; tap < t.taps; ++tap) {
    const float* const* a = t.a + tap * kRows;
    for (int64_t k = 0; k < t.depth; ++k, b += kColumns) {
      for (int r = 0; r < kRows; ++r) {
        for (int j = 0; j < kColumns; ++j) sum[r][j] += a[r][k] * b[j];
      }
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int64_t j = 0; j < t.columns; ++j) {
      float x = sum[r][j];
      if (t.finish) {
        if (t.bias != nullptr) x += t.bias[j];
        if (t.add != nullptr) x += t.add[r * t.add_stride + j];
        x = x < t.low ? t.low : x;
        x = x > t.high ? t.high : x;
      }
      t.c[r * t.c_stride + j] = x;
    }
  }
}

}  // namespace

const GemmKernels kGemmReference = {
    4, kColumns, 1, {{}, {nullptr, Tile<1>, Tile<2>, Tile<3>, Tile<4>}}};

}  // namespace ferry::kernels
