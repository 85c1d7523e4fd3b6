// The tile micro-kernels over one register type. Included by avx2.cc and avx512.cc after their simd
// header, never elsewhere.
#pragma once

#include "device-runtime/kernels/gemm/kernels.h"

namespace ferry::kernels {
namespace {

// Bias, residual and clip of all sums; NaN stays NaN. kWhole: no column of the panel is missing.
template <int kRows, int kVectors, bool kWhole>
inline void Finish(const TileArgs& t, Vec (&sum)[kRows][kVectors]) {
  const Vec low = Set(t.low);
  const Vec high = Set(t.high);
  FERRY_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    const int64_t column = v * kWidth;
    const int64_t count = kWhole ? kWidth : t.columns - column;
    const auto load = [count](const float* p) { return kWhole ? Load(p) : LoadPart(p, count); };
    const Vec bias = t.bias == nullptr ? Zero() : load(t.bias + column);
    FERRY_UNROLL
    for (int r = 0; r < kRows; ++r) sum[r][v] = Add(sum[r][v], bias);
    if (t.add != nullptr) {
      FERRY_UNROLL
      for (int r = 0; r < kRows; ++r) {
        sum[r][v] = Add(sum[r][v], load(t.add + r * t.add_stride + column));
      }
    }
    FERRY_UNROLL
    for (int r = 0; r < kRows; ++r) sum[r][v] = Min(high, Max(low, sum[r][v]));
  }
}

template <int kRows, int kVectors, bool kWhole>
inline void FinishAndStore(const TileArgs& t, Vec (&sum)[kRows][kVectors]) {
  if (t.finish) Finish<kRows, kVectors, kWhole>(t, sum);
  FERRY_UNROLL
  for (int r = 0; r < kRows; ++r) {
    FERRY_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      float* to = t.c + r * t.c_stride + v * kWidth;
      if (kWhole) {
        Store(to, sum[r][v]);
      } else {
        StorePart(to, sum[r][v], t.columns - v * kWidth);
      }
    }
  }
}

// What a tile makes of an element of a and of one of b, which may stand for several each.
struct FloatProduct {
  using Factors = Vec;
  static Factors LoadRight(const float* b) { return Load(b); }
  static Factors SetLeft(float a) { return Set(a); }
  static Vec Add(Vec sum, Factors left, Factors right) { return Fma(left, right, sum); }
};

template <int kRows, int kVectors, typename Product = FloatProduct>
void Tile(const TileArgs& t) {
  // Sums, a row of B and one broadcast.
  static_assert(kRows * kVectors + kVectors + 1 <= kRegisters);
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
      typename Product::Factors right[kVectors];
      FERRY_UNROLL
      for (int v = 0; v < kVectors; ++v) right[v] = Product::LoadRight(b + v * kWidth);
      FERRY_UNROLL
      for (int r = 0; r < kRows; ++r) {
        const typename Product::Factors left = Product::SetLeft(a[r][k]);
        FERRY_UNROLL
        for (int v = 0; v < kVectors; ++v) sum[r][v] = Product::Add(sum[r][v], left, right[v]);
      }
    }
  }
  if (t.columns == kVectors * kWidth) {
    FinishAndStore<kRows, kVectors, true>(t, sum);
  } else {
    FinishAndStore<kRows, kVectors, false>(t, sum);
  }
}

}  // namespace
}  // namespace ferry::kernels
