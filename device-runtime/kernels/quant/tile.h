// Tiles over the registers of simd/<isa>.h: lanes of four products. Included by <isa>.cc after
// Left, Right and Dot, never elsewhere.
#pragma once

#include "device-runtime/kernels/quant/vector.h"

namespace ferry::kernels {
namespace {

template <bool kSigned, int kRows, int kVectors>
inline void AddGroup(const uint32_t (&left)[kRows], const int8_t* b, Ints (&sum)[kRows][kVectors]) {
  Right right[kVectors];
  FERRY_UNROLL
  for (int v = 0; v < kVectors; ++v) right[v] = RightOf(b + v * kWidth * 4);
  FERRY_UNROLL
  for (int r = 0; r < kRows; ++r) {
    const Left l = LeftOf<kSigned>(left[r]);
    FERRY_UNROLL
    for (int v = 0; v < kVectors; ++v) sum[r][v] = Dot(sum[r][v], l, right[v]);
  }
}

template <int kRows, int kVectors>
inline void StartTile(const QuantTile& t, Ints (&sum)[kRows][kVectors]) {
  FERRY_UNROLL
  for (int r = 0; r < kRows; ++r) {
    FERRY_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      sum[r][v] = LoadInts(t.start != nullptr ? t.start + v * kWidth
                                              : t.sums + r * kMaxQuantWidth + v * kWidth);
    }
  }
}

template <int kRows, int kVectors>
inline void StoreTile(const QuantTile& t, const Ints (&sum)[kRows][kVectors]) {
  FERRY_UNROLL
  for (int r = 0; r < kRows; ++r) {
    FERRY_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      StoreInts(t.sums + r * kMaxQuantWidth + v * kWidth, sum[r][v]);
    }
  }
}

template <bool kSigned, int kRows, int kVectors>
void Tile(const QuantTile& t) {
  Ints sum[kRows][kVectors];
  StartTile(t, sum);
  constexpr int64_t kStep = int64_t{kVectors} * kWidth * 4;
  const int8_t* b = t.b;
  const uint8_t* const* rows = t.a;
  for (int64_t tap = 0; tap < t.taps; ++tap, rows += kRows) {
    const uint8_t* a[kRows];
    FERRY_UNROLL
    for (int r = 0; r < kRows; ++r) a[r] = rows[r];
    int64_t k = 0;
    for (; k + 4 <= t.depth; k += 4, b += kStep) {
      Right right[kVectors];
      FERRY_UNROLL
      for (int v = 0; v < kVectors; ++v) right[v] = RightOf(b + v * kWidth * 4);
      FERRY_UNROLL
      for (int r = 0; r < kRows; ++r) {
        const Left l = LeftOf<kSigned>(FourBytes(a[r] + k));
        FERRY_UNROLL
        for (int v = 0; v < kVectors; ++v) sum[r][v] = Dot(sum[r][v], l, right[v]);
      }
    }
    if (k < t.depth) {
      uint32_t left[kRows];
      for (int r = 0; r < kRows; ++r) left[r] = LastBytes(a[r] + k, t.depth - k);
      AddGroup<kSigned>(left, b, sum);
      b += kStep;
    }
  }
  StoreTile(t, sum);
}

}  // namespace
}  // namespace ferry::kernels
