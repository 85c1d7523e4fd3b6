// Tiles over panels with QuantFurther: two products of bytes are added in 16 bits, which the
// panel's weights allow. Included by <isa>.cc after DotBounded and Flip (of the upper bit of each
// byte), never elsewhere.
#pragma once

#include "device-runtime/kernels/quant/tile.h"

namespace ferry::kernels {
namespace {

// Four bytes in every lane, of signed elements with 128 added.
template <bool kSigned>
inline Ints FourOf(uint32_t bytes) {
  const Ints all = SetInts(static_cast<int32_t>(bytes));
  return kSigned ? Flip(all) : all;
}

// Adds one group of products of each row; left(r): its four bytes.
template <bool kSigned, int kRows, int kVectors, typename Left4>
inline void AddBounded(const Left4& left, const int8_t* b, Ints (&sum)[kRows][kVectors]) {
  Ints right[kVectors];
  FERRY_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    right[v] = LoadInts(reinterpret_cast<const int32_t*>(b + v * kWidth * 4));
  }
  FERRY_UNROLL
  for (int r = 0; r < kRows; ++r) {
    const Ints l = FourOf<kSigned>(left(r));
    FERRY_UNROLL
    for (int v = 0; v < kVectors; ++v) sum[r][v] = DotBounded(sum[r][v], l, right[v]);
  }
}

template <bool kSigned, int kRows, int kVectors>
void BoundedTile(const QuantTile& t) {
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
      AddBounded<kSigned>([&](int r) { return FourBytes(a[r] + k); }, b, sum);
    }
    if (k < t.depth) {
      AddBounded<kSigned>([&](int r) { return LastBytes(a[r] + k, t.depth - k); }, b, sum);
      b += kStep;
    }
  }
  b = t.further.b;
  for (int32_t i = 0; i < t.further.count; ++i, b += kStep) {
    const QuantFurtherGroup& g = t.further.groups[i];
    const auto four = [&](int r) {
      const uint8_t* const a = t.a[int64_t{g.tap} * kRows + r];
      return a[g.k[0]] | uint32_t{a[g.k[1]]} << 8 | uint32_t{a[g.k[2]]} << 16 |
             uint32_t{a[g.k[3]]} << 24;
    };
    AddBounded<kSigned>(four, b, sum);
  }
  StoreTile(t, sum);
}

}  // namespace
}  // namespace ferry::kernels
