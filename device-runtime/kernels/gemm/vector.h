// The tile micro-kernels over one register type. Included by avx2.cc and avx512.cc after their simd
// header, never elsewhere.
#pragma once

#include "device-runtime/kernels/gemm/kernels.h"

namespace ferry::kernels {
namespace {

// Bias, residual and clip of one vector of a row; NaN stays NaN.
inline Vec Finish(const TileArgs& t, int row, int64_t column, int64_t count, Vec x) {
  if (t.bias != nullptr) x = Add(x, LoadPart(t.bias + column, count));
  if (t.add != nullptr) x = Add(x, LoadPart(t.add + row * t.add_stride + column, count));
  return Min(Set(t.high), Max(Set(t.low), x));
}

template <int kRows, int kVectors>
void Tile(const TileArgs& t) {
  Vec sum[kRows][kVectors];
  FERRY_UNROLL
  for (int r = 0; r < kRows; ++r) {
    FERRY_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      const int64_t column = v * kWidth;
      sum[r][v] =
          t.accumulate ? LoadPart(t.c + r * t.c_stride + column, t.columns - column) : Zero();
    }
  }
  const float* b = t.b;
  const float* const* rows = t.a;
  for (int64_t tap = 0; tap < t.taps; ++tap, rows += kRows) {
    const float* a[kRows];
    FERRY_UNROLL
    for (int r = 0; r < kRows; ++r) a[r] = rows[r];
    for (int64_t k = 0; k < t.depth; ++k, b += kVectors * kWidth) {
      Vec right[kVectors];
      FERRY_UNROLL
      for (int v = 0; v < kVectors; ++v) right[v] = Load(b + v * kWidth);
      FERRY_UNROLL
      for (int r = 0; r < kRows; ++r) {
        const Vec left = Set(a[r][k]);
        FERRY_UNROLL
        for (int v = 0; v < kVectors; ++v) sum[r][v] = Fma(left, right[v], sum[r][v]);
      }
    }
  }
  FERRY_UNROLL
  for (int r = 0; r < kRows; ++r) {
    FERRY_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      const int64_t column = v * kWidth;
      const int64_t count = t.columns - column;
      Vec x = sum[r][v];
      if (t.finish) x = Finish(t, r, column, count, x);
      StorePart(t.c + r * t.c_stride + column, x, count);
    }
  }
}

}  // namespace
}  // namespace ferry::kernels
