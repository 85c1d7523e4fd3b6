// Epilogues of AVX-512 that give bytes: four vectors of results go through one chain of packs,
// which saturates by itself. Included by vector.h, never elsewhere.
#pragma once

#include "device-runtime/kernels/quant/kernels.h"

namespace ferry::kernels {
namespace {

enum class WideAdd { kNone, kPlain, kRounds };
// What packs do not clip: numbers past 32 bits become the smallest, and bounds inside the type's.
enum class WideClip { kNone, kHigh, kBoth };

// As Steps of vector.h. Signed addends are moved to unsigned ones: `flip` turns their upper bit.
struct WideSteps {
  explicit WideSteps(const QuantEpilogue& e)
      : low(_mm512_set1_ps(e.low)),
        high(_mm512_set1_ps(e.high)),
        zero(_mm512_set1_epi16(static_cast<int16_t>(e.zero))),
        flip(_mm_set1_epi8(e.add_signed ? -128 : 0)),
        first_low(_mm512_set1_ps(e.first_low)),
        first_high(_mm512_set1_ps(e.first_high)),
        first_factor(_mm512_set1_ps(e.first_factor)),
        add_zero(_mm512_set1_ps(e.add_zero + (e.add_signed ? 128.0f : 0.0f))),
        add_factor(_mm512_set1_ps(e.add_factor)) {}

  // One vector, rounded, without the zero. What lies below the type's range needs no clip: packs
  // saturate, also what a conversion makes of NaN and of large negative numbers.
  template <WideAdd kAdd, WideClip kClip>
  __m512i One(__m512i sum, __m512 factor, __m512 offset, const uint8_t* add) const {
    __m512 r = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum), factor, offset);
    if constexpr (kAdd == WideAdd::kRounds) {
      r = _mm512_min_ps(first_high, _mm512_max_ps(r, first_low));
      r = _mm512_roundscale_ps(r, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    }
    if constexpr (kAdd != WideAdd::kNone) {
      const __m128i bytes =
          _mm_xor_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(add)), flip);
      const __m512 x = _mm512_sub_ps(_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(bytes)), add_zero);
      r = _mm512_fmadd_ps(x, add_factor, _mm512_mul_ps(r, first_factor));
    }
    if constexpr (kClip == WideClip::kBoth) r = _mm512_max_ps(r, low);
    if constexpr (kClip != WideClip::kNone) r = _mm512_min_ps(high, r);
    return _mm512_cvtps_epi32(r);
  }

  // Lane by lane: 4 of a, 4 of b, 4 of c, 4 of d.
  template <QuantType kType>
  __m512i Pack(__m512i a, __m512i b, __m512i c, __m512i d) const {
    const __m512i first = _mm512_adds_epi16(_mm512_packs_epi32(a, b), zero);
    const __m512i second = _mm512_adds_epi16(_mm512_packs_epi32(c, d), zero);
    return kType == QuantType::kU8 ? _mm512_packus_epi16(first, second)
                                   : _mm512_packs_epi16(first, second);
  }

  __m512 low, high;
  __m512i zero;
  __m128i flip;
  __m512 first_low, first_high, first_factor, add_zero, add_factor;
};

// Whether sums times these factors plus these offsets stay inside 32 bits.
inline bool FitInts(__m512 factor, __m512 offset) {
  const __mmask16 small =
      _mm512_cmp_ps_mask(_mm512_abs_ps(factor), _mm512_set1_ps(0.4f), _CMP_LT_OQ);
  return _mm512_mask_cmp_ps_mask(small, _mm512_abs_ps(offset), _mm512_set1_ps(0x1p30f),
                                 _CMP_LT_OQ) == 0xffff;
}

inline WideClip ClipOf(const QuantEpilogue& e, bool fits) {
  const float smallest = e.type == QuantType::kI8 ? -128.0f : 0.0f;
  const auto zero = static_cast<float>(e.zero);
  if (e.low + zero > smallest) return WideClip::kBoth;
  return e.high + zero < smallest + 255.0f || !fits ? WideClip::kHigh : WideClip::kNone;
}

// Two vectors of columns, from 0 and from `second` on, of all rows; two rows at once.
template <QuantType kType, WideAdd kAdd, WideClip kClip>
inline void FinishPairs(const QuantFinish& f, int64_t second) {
  const WideSteps e(*f.epilogue);
  const __m512 factor_a = _mm512_loadu_ps(f.factor), factor_b = _mm512_loadu_ps(f.factor + second);
  __m512 offset_a = _mm512_setzero_ps(), offset_b = _mm512_setzero_ps();
  if (f.offset != nullptr) {
    offset_a = _mm512_loadu_ps(f.offset);
    offset_b = _mm512_loadu_ps(f.offset + second);
  }
  // Dwords of the packs: rows apart, columns in order.
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const int64_t rows = f.rows;
  const int32_t* sums = f.sums;
  const uint8_t* add = f.add;
  auto* y = static_cast<uint8_t*>(f.y);
  for (int64_t row = 0; row < rows; row += 2) {
    const bool two = row + 1 < rows;
    const int64_t next = two ? f.y_stride : 0;
    const int32_t* below = sums + (two ? f.sums_stride : 0);
    const auto one = [&](const int32_t* from, __m512 factor, __m512 offset, int64_t at) {
      return e.template One<kAdd, kClip>(_mm512_loadu_si512(from), factor, offset,
                                         kAdd == WideAdd::kNone ? nullptr : add + at);
    };
    const __m512i packed = _mm512_permutexvar_epi32(
        order, e.template Pack<kType>(one(sums, factor_a, offset_a, 0),
                                      one(sums + second, factor_b, offset_b, second),
                                      one(below, factor_a, offset_a, next),
                                      one(below + second, factor_b, offset_b, next + second)));
    const __m256i upper = _mm512_castsi512_si256(packed);
    const __m256i lower = _mm512_extracti64x4_epi64(packed, 1);
    const auto store = [second](uint8_t* to, __m256i x) {
      if (second == 16) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), x);
      } else {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(x));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + second), _mm256_extracti128_si256(x, 1));
      }
    };
    store(y, upper);
    if (two) store(y + next, lower);
    sums += 2 * f.sums_stride;
    y += 2 * f.y_stride;
    if (kAdd != WideAdd::kNone) add += 2 * f.y_stride;
  }
}

template <QuantType kType, WideAdd kAdd>
inline void FinishPairs(const QuantFinish& f, int64_t second, WideClip clip) {
  if (clip == WideClip::kBoth) return FinishPairs<kType, kAdd, WideClip::kBoth>(f, second);
  FinishPairs<kType, kAdd, WideClip::kHigh>(f, second);
}

template <QuantType kType>
inline void FinishPairs(const QuantFinish& f, int64_t second) {
  const QuantEpilogue& e = *f.epilogue;
  if (f.add != nullptr) {
    const WideClip clip = ClipOf(e, false);
    e.rounds_first ? FinishPairs<kType, WideAdd::kRounds>(f, second, clip)
                   : FinishPairs<kType, WideAdd::kPlain>(f, second, clip);
    return;
  }
  const auto fits_at = [&](int64_t c) {
    const float* offset = f.offset;
    return FitInts(_mm512_loadu_ps(f.factor + c),
                   offset == nullptr ? _mm512_setzero_ps() : _mm512_loadu_ps(offset + c));
  };
  const bool fits = fits_at(0) && fits_at(second);
  const WideClip clip = ClipOf(e, fits);
  if (clip == WideClip::kNone) {
    FinishPairs<kType, WideAdd::kNone, WideClip::kNone>(f, second);
  } else {
    FinishPairs<kType, WideAdd::kNone>(f, second, clip);
  }
}

// All rows of the first columns, as many as come in pairs of vectors (which may overlap); returns
// how many.
template <QuantType kType>
inline int64_t FinishWide(QuantFinish f) {
  if constexpr (kType == QuantType::kU8 || kType == QuantType::kI8) {
    const int64_t columns = f.columns;
    int64_t c = 0;
    while (columns - c >= 16 && columns - c != 16) {
      const int64_t second = columns - c >= 32 ? 16 : columns - c - 16;
      FinishPairs<kType>(f, second);
      const int64_t step = second + 16;
      c += step;
      f.sums += step;
      f.factor += step;
      if (f.offset != nullptr) f.offset += step;
      if (f.add != nullptr) f.add += step;
      f.y = static_cast<uint8_t*>(f.y) + step;
    }
    return c;
  }
  return 0;
}

}  // namespace
}  // namespace ferry::kernels
