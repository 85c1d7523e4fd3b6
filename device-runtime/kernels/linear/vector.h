// Dot products over one register type: one register of sums for each pair of a row of x and a row
// of weights, walked from the first column to the last and summed by the same tree, whatever the
// tile. Included by avx2.cc and avx512.cc after their simd header, never elsewhere.
#pragma once

#include "device-runtime/kernels/linear/kernels.h"

namespace ferry::kernels {
namespace {

template <int kRows, int kXRows>
__attribute__((always_inline)) inline void Finish(const LinearStrip& s, int64_t row,
                                                  const Vec (&sum)[kRows * kXRows]) {
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

template <int kRows, int kXRows>
using Sums = Vec[kRows * kXRows];

// The products of one register of columns of x with those of the weights.
template <bool kPart, int kRows, int kXRows>
inline void Multiply(const LinearStrip& s, int64_t k, const Vec (&weights)[kRows],
                     Sums<kRows, kXRows>& sum) {
  FERRY_UNROLL
  for (int m = 0; m < kXRows; ++m) {
    const float* from = s.x + m * s.x_stride + k;
    const Vec input = kPart ? LoadPart(from, s.columns - k) : Load(from);
    FERRY_UNROLL
    for (int r = 0; r < kRows; ++r) {
      sum[m * kRows + r] = Fma(input, weights[r], sum[m * kRows + r]);
    }
  }
}

template <bool kPart, typename T, int kRows, int kXRows>
inline void Single(const LinearStrip& s, const T* w, int64_t k, Sums<kRows, kXRows>& sum) {
  Vec weights[kRows];
  FERRY_UNROLL
  for (int r = 0; r < kRows; ++r) {
    const T* from = w + r * s.columns + k;
    weights[r] = kPart ? LoadPart(from, s.columns - k) : Load(from);
  }
  Multiply<kPart, kRows, kXRows>(s, k, weights, sum);
}

// Two registers of columns; loaded together where a tile leaves registers for it.
template <typename T, int kRows, int kXRows>
inline void Pair(const LinearStrip& s, const T* w, int64_t k, Sums<kRows, kXRows>& sum) {
  if constexpr ((kXRows + 2) * kRows + 3 <= kRegisters) {
    Vec first[kRows];
    Vec second[kRows];
    FERRY_UNROLL
    for (int r = 0; r < kRows; ++r) LoadPair(w + r * s.columns + k, &first[r], &second[r]);
    Multiply<false, kRows, kXRows>(s, k, first, sum);
    Multiply<false, kRows, kXRows>(s, k + kWidth, second, sum);
  } else {
    Single<false, T, kRows, kXRows>(s, w, k, sum);
    Single<false, T, kRows, kXRows>(s, w, k + kWidth, sum);
  }
}

template <typename T, int kRows, int kXRows>
void Tile(const LinearStrip& s, int64_t row) {
  // Rows are short for the processor's own prefetching: each step asks for as many bytes of rows
  // further on as it uses of these, in the order of addresses. Into the second-level cache: the
  // first would lose the rows of x.
  constexpr int kLine = 64;
  constexpr int kToSecondLevel = 2;
  constexpr int kRowsAhead = kRows < 6 ? 6 : kRows;  // NOLINT(bugprone-branch-clone)
  constexpr int kPairs = kRows == 1 ? 1 : 2;  // single rows are the few that are left: little code
  constexpr int kStep = kPairs * 2 * kWidth;
  constexpr int kLines = (kStep * kRows * static_cast<int>(sizeof(T)) + kLine - 1) / kLine;
  const T* w = static_cast<const T*>(s.w) + row * s.columns;
  const char* next = reinterpret_cast<const char*>(w + kRowsAhead * s.columns);
  Sums<kRows, kXRows> sum;
  FERRY_UNROLL
  for (int i = 0; i < kRows * kXRows; ++i) sum[i] = Zero();
  int64_t k = 0;
  for (; k + kStep <= s.columns; k += kStep) {
    if (s.cold) {
      FERRY_UNROLL
      for (int i = 0; i < kLines; ++i) __builtin_prefetch(next + i * kLine, 0, kToSecondLevel);
      next += kLines * kLine;
    }
    FERRY_UNROLL
    for (int i = 0; i < kPairs; ++i) Pair<T, kRows, kXRows>(s, w, k + i * 2 * kWidth, sum);
  }
  for (; k + kWidth <= s.columns; k += kWidth) Single<false, T, kRows, kXRows>(s, w, k, sum);
  if (k < s.columns) Single<true, T, kRows, kXRows>(s, w, k, sum);
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
