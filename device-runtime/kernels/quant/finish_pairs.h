// Epilogues of AVX2 that give bytes: two vectors of columns of two rows go through one chain of
// packs. Included by vector.h after Steps, never elsewhere.
#pragma once

#include "device-runtime/kernels/quant/kernels.h"

namespace ferry::kernels {
namespace {

constexpr int64_t kPair = 2 * kWidth;

// One vector, clipped and rounded, without the zero: it fits 16 bits.
template <bool kAdd>
inline __m256i RoundedOf(const Steps& e, const int32_t* sums, Vec factor, Vec offset,
                         const uint8_t* add) {
  Vec r = Fma(ToFloats(LoadInts(sums)), factor, offset);
  if constexpr (kAdd) r = e.Added(r, add, kWidth);
  return ToInts(Min(e.high, Max(r, e.low))).v;
}

// kPair columns of all rows; of an odd last row twice the same.
template <QuantType kType, bool kAdd>
inline void FinishPair(const QuantFinish& f, const Steps& e, int64_t c) {
  const Vec factor[2] = {Load(f.factor + c), Load(f.factor + c + kWidth)};
  Vec offset[2] = {Zero(), Zero()};
  if (f.offset != nullptr) {
    offset[0] = Load(f.offset + c);
    offset[1] = Load(f.offset + c + kWidth);
  }
  const __m256i zero = _mm256_set1_epi16(static_cast<int16_t>(f.epilogue->zero));
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  const int64_t rows = f.rows;
  const int32_t* sums = f.sums + c;
  const uint8_t* add = kAdd ? f.add + c : nullptr;
  auto* y = static_cast<uint8_t*>(f.y) + c;
  for (int64_t row = 0; row < rows; row += 2) {
    const bool two = row + 1 < rows;
    const int64_t below = two ? f.sums_stride : 0, next = two ? f.y_stride : 0;
    __m256i halves[2];
    FERRY_UNROLL
    for (int r = 0; r < 2; ++r) {
      const int32_t* from = sums + r * below;
      const uint8_t* to_add = kAdd ? add + r * next : nullptr;
      const __m256i left = RoundedOf<kAdd>(e, from, factor[0], offset[0], to_add);
      const __m256i right =
          RoundedOf<kAdd>(e, from + kWidth, factor[1], offset[1], kAdd ? to_add + kWidth : nullptr);
      halves[r] = _mm256_add_epi16(_mm256_packs_epi32(left, right), zero);
    }
    const __m256i packed = kType == QuantType::kU8 ? _mm256_packus_epi16(halves[0], halves[1])
                                                   : _mm256_packs_epi16(halves[0], halves[1]);
    const __m256i both = _mm256_permutevar8x32_epi32(packed, order);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y), _mm256_castsi256_si128(both));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y + next),
                     two ? _mm256_extracti128_si256(both, 1) : _mm256_castsi256_si128(both));
    sums += 2 * f.sums_stride;
    y += 2 * f.y_stride;
    if (kAdd) add += 2 * f.y_stride;
  }
}

// All rows of the first columns, as many as come in pairs of vectors; returns how many.
template <QuantType kType>
inline int64_t FinishWide(const QuantFinish& f) {
  if constexpr (kType == QuantType::kU8 || kType == QuantType::kI8) {
    if (f.columns < kPair) return 0;
    const Steps steps(*f.epilogue);
    int64_t c = 0;
    for (; f.columns - c >= kPair; c += kPair) {
      if (f.add != nullptr) {
        FinishPair<kType, true>(f, steps, c);
      } else {
        FinishPair<kType, false>(f, steps, c);
      }
    }
    return c;
  }
  return 0;
}

}  // namespace
}  // namespace ferry::kernels
