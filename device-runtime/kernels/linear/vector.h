// Dot products over one register type: one register of sums for each pair of a row of x and a row
// of weights, walked from the first column to the last and summed by the same tree, whatever the
// tile. Included by avx2.cc and avx512.cc after their simd header, never elsewhere.
#pragma once

#include "device-runtime/kernels/linear/kernels.h"

namespace ferry::kernels {
namespace {

template <int kRows, int kXRows>
inline void Finish(const LinearStrip& s, int64_t row, const Vec (&sum)[kRows * kXRows]) {
  constexpr int kCount = kRows * kXRows;
  constexpr int kGroups = (kCount + kWidth - 1) / kWidth;
  float sums[kGroups * kWidth];
  FERRY_UNROLL
  for (int g = 0; g < kGroups; ++g) {
    Vec group[kWidth];
    FERRY_UNROLL
    for (int i = 0; i < kWidth; ++i) {
      group[i] = sum[g * kWidth + i < kCount ? g * kWidth + i : kCount - 1];
    }
    Store(sums + g * kWidth, SumEach(group));
  }
  for (int m = 0; m < kXRows; ++m) {
    const int64_t at = m * s.out_stride + row;
    for (int r = 0; r < kRows; ++r) {
      float value = sums[m * kRows + r];
      if (s.scales != nullptr) value *= s.scales[row + r];
      if (s.add != nullptr) value += s.add[at + r];
      s.out[at + r] = value;
    }
  }
}

template <typename T, int kRows, int kXRows>
void Tile(const LinearStrip& s, int64_t row) {
  const int64_t columns = s.columns;
  const T* w = static_cast<const T*>(s.w) + row * columns;
  const float* x = s.x;
  Vec sum[kRows * kXRows];
  FERRY_UNROLL
  for (int i = 0; i < kRows * kXRows; ++i) sum[i] = Zero();
  int64_t k = 0;
  for (; k + kWidth <= columns; k += kWidth) {
    Vec weights[kRows];
    FERRY_UNROLL
    for (int r = 0; r < kRows; ++r) weights[r] = Load(w + r * columns + k);
    FERRY_UNROLL
    for (int m = 0; m < kXRows; ++m) {
      const Vec input = Load(x + m * s.x_stride + k);
      FERRY_UNROLL
      for (int r = 0; r < kRows; ++r) {
        sum[m * kRows + r] = Fma(input, weights[r], sum[m * kRows + r]);
      }
    }
  }
  if (const int64_t count = columns - k; count > 0) {
    Vec weights[kRows];
    FERRY_UNROLL
    for (int r = 0; r < kRows; ++r) weights[r] = LoadPart(w + r * columns + k, count);
    FERRY_UNROLL
    for (int m = 0; m < kXRows; ++m) {
      const Vec input = LoadPart(x + m * s.x_stride + k, count);
      FERRY_UNROLL
      for (int r = 0; r < kRows; ++r) {
        sum[m * kRows + r] = Fma(input, weights[r], sum[m * kRows + r]);
      }
    }
  }
  Finish<kRows, kXRows>(s, row, sum);
}

// All rows of the strip, kRows at a time and the rest one by one.
template <typename T, int kRows, int kXRows>
void Strip(const LinearStrip& s) {
  int64_t row = 0;
  for (; row + kRows <= s.rows; row += kRows) Tile<T, kRows, kXRows>(s, row);
  for (; row < s.rows; ++row) Tile<T, 1, kXRows>(s, row);
}

}  // namespace
}  // namespace ferry::kernels
