// One register of floats with AVX-512. Only avx512.cc files include this; everything is in an
// unnamed namespace, so that no code built with these instructions is merged into portable code.
// The same names as simd/avx2.h: the families' vector.h is written once over them.
#pragma once

// gcc 12's own header makes undefined registers that its optimiser then complains about (gcc bug
// 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include <immintrin.h>

#include <cstdint>

#include "device-runtime/kernels/simd/half.h"

// Before a loop of a constant count over registers: unrolled wholly, or -O2 keeps them in memory.
#define FERRY_UNROLL _Pragma("GCC unroll 64")

namespace ferry::kernels {
namespace {

constexpr int kWidth = 16;
constexpr int kRegisters = 32;

struct Vec {
  __m512 v;
};

inline __mmask16 FirstLanes(int64_t count) {
  return static_cast<__mmask16>(count >= kWidth ? 0xffff : (1u << count) - 1);
}

inline Vec Zero() {
  return {_mm512_setzero_ps()};
}
inline Vec Set(float x) {
  return {_mm512_set1_ps(x)};
}
inline Vec Load(const float* p) {
  return {_mm512_loadu_ps(p)};
}
inline void Store(float* p, Vec x) {
  _mm512_storeu_ps(p, x.v);
}
// The first `count` lanes, the others 0; reads nothing behind them.
inline Vec LoadPart(const float* p, int64_t count) {
  return {_mm512_maskz_loadu_ps(FirstLanes(count), p)};
}
inline void StorePart(float* p, Vec x, int64_t count) {
  _mm512_mask_storeu_ps(p, FirstLanes(count), x.v);
}
// Stored weights widened exactly. bfloat16 is the upper half of a float32.
inline Vec Load(const uint16_t* p) {
  const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16))};
}
inline Vec Load(const Half* p) {
  return {_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
}
inline Vec Load(const int8_t* p) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return {_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes))};
}
// IEEE 754 half precision.
inline Vec LoadHalf(const uint16_t* p) {
  return {_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
}
inline Vec LoadPart(const uint16_t* p, int64_t count) {
  const __m256i bits = _mm256_maskz_loadu_epi16(FirstLanes(count), p);
  return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16))};
}
inline Vec LoadPart(const Half* p, int64_t count) {
  return {_mm512_cvtph_ps(_mm256_maskz_loadu_epi16(FirstLanes(count), p))};
}
inline Vec LoadPart(const int8_t* p, int64_t count) {
  return {_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(FirstLanes(count), p)))};
}
// Two registers, one after the other.
template <typename T>
inline void LoadPair(const T* p, Vec* a, Vec* b) {
  *a = Load(p);
  *b = Load(p + kWidth);
}
inline void LoadPair(const uint16_t* p, Vec* a, Vec* b) {
  alignas(64) static constexpr uint16_t kFirst[32] = {0, 0,  0, 1,  0, 2,  0, 3,  0, 4, 0,
                                                      5, 0,  6, 0,  7, 0,  8, 0,  9, 0, 10,
                                                      0, 11, 0, 12, 0, 13, 0, 14, 0, 15};
  const __m512i first = _mm512_load_si512(kFirst);
  const __m512i second = _mm512_add_epi16(first, _mm512_set1_epi16(16));
  const __m512i bits = _mm512_loadu_si512(p);
  a->v = _mm512_castsi512_ps(_mm512_maskz_permutexvar_epi16(0xaaaaaaaa, first, bits));
  b->v = _mm512_castsi512_ps(_mm512_maskz_permutexvar_epi16(0xaaaaaaaa, second, bits));
}
// x in a register: the compiler may not load it again at each use.
inline Vec Kept(Vec x) {
  asm("" : "+v"(x.v));
  return x;
}
inline float First(Vec x) {  // lane 0
  return _mm512_cvtss_f32(x.v);
}
// The first `count` lanes of a, the others of b.
inline Vec SelectFirst(int64_t count, Vec a, Vec b) {
  return {_mm512_mask_blend_ps(FirstLanes(count), b.v, a.v)};
}

inline Vec Add(Vec a, Vec b) {
  return {_mm512_add_ps(a.v, b.v)};
}
inline Vec Sub(Vec a, Vec b) {
  return {_mm512_sub_ps(a.v, b.v)};
}
inline Vec Mul(Vec a, Vec b) {
  return {_mm512_mul_ps(a.v, b.v)};
}
inline Vec Div(Vec a, Vec b) {
  return {_mm512_div_ps(a.v, b.v)};
}
// 1 / d for normal d below 2^126, within one unit of its last place: Newton's step on an estimate
// takes half the time of a division.
inline Vec Reciprocal(Vec d) {
  const __m512 r = _mm512_rcp14_ps(d.v);
  return {_mm512_fmadd_ps(r, _mm512_fnmadd_ps(d.v, r, _mm512_set1_ps(1.0f)), r)};
}
inline Vec Fma(Vec a, Vec b, Vec c) {  // a * b + c, rounded once
  return {_mm512_fmadd_ps(a.v, b.v, c.v)};
}
inline Vec Fnma(Vec a, Vec b, Vec c) {  // c - a * b, rounded once
  return {_mm512_fnmadd_ps(a.v, b.v, c.v)};
}
// b when either is NaN, as the instruction does.
inline Vec Max(Vec a, Vec b) {
  return {_mm512_max_ps(a.v, b.v)};
}
inline Vec Min(Vec a, Vec b) {
  return {_mm512_min_ps(a.v, b.v)};
}
inline Vec Sqrt(Vec a) {
  return {_mm512_sqrt_ps(a.v)};
}
inline Vec Abs(Vec a) {
  return {_mm512_abs_ps(a.v)};
}
inline Vec Nearest(Vec a) {  // halves to even
  return {_mm512_roundscale_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
}
inline Vec Down(Vec a) {
  return {_mm512_roundscale_ps(a.v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)};
}
// magnitude's bits with sign's sign.
inline Vec CopySign(Vec magnitude, Vec sign) {
  return {_mm512_or_ps(_mm512_and_ps(sign.v, _mm512_set1_ps(-0.0f)),
                       _mm512_andnot_ps(_mm512_set1_ps(-0.0f), magnitude.v))};
}
// a < b ? yes : no; no when either is NaN.
inline Vec IfLess(Vec a, Vec b, Vec yes, Vec no) {
  return {_mm512_mask_blend_ps(_mm512_cmp_ps_mask(a.v, b.v, _CMP_LT_OQ), no.v, yes.v)};
}
// Whether a lane of a is above that of b.
inline bool AnyAbove(Vec a, Vec b) {
  return _mm512_cmp_ps_mask(a.v, b.v, _CMP_GT_OQ) != 0;
}
inline Vec IfNan(Vec a, Vec yes, Vec no) {
  return {_mm512_mask_blend_ps(_mm512_cmp_ps_mask(a.v, a.v, _CMP_UNORD_Q), no.v, yes.v)};
}
// x * 2^n for whole n.
inline Vec TimesPowerOfTwo(Vec x, Vec n) {
  return {_mm512_scalef_ps(x.v, n.v)};
}
// The same for n from -126 to 127.
inline Vec TimesNormalPower(Vec x, Vec n) {
  return TimesPowerOfTwo(x, n);
}
// For normal x > 0: x = mantissa * 2^result with the mantissa in [0.5, 1).
inline Vec SplitExponent(Vec x, Vec* mantissa) {
  const __m512i bits = _mm512_castps_si512(x.v);
  const __m512i exponent = _mm512_sub_epi32(_mm512_srli_epi32(bits, 23), _mm512_set1_epi32(126));
  mantissa->v = _mm512_castsi512_ps(_mm512_or_si512(
      _mm512_and_si512(bits, _mm512_set1_epi32(0x007fffff)), _mm512_set1_epi32(0x3f000000)));
  return {_mm512_cvtepi32_ps(exponent)};
}

// Over all lanes, in a fixed order.
inline float SumLanes(Vec a) {
  return _mm512_reduce_add_ps(a.v);
}
inline float MaxLanes(Vec a) {
  return _mm512_reduce_max_ps(a.v);
}
inline float MinLanes(Vec a) {
  return _mm512_reduce_min_ps(a.v);
}
inline float ProductLanes(Vec a) {
  return _mm512_reduce_mul_ps(a.v);
}

// One level of SumLanes' tree for two registers at once: halves (0), quarters, pairs, singles (3).
template <int kLevel>
inline Vec JoinLevel(Vec a, Vec b) {
  if constexpr (kLevel == 0) {
    return {
        _mm512_add_ps(_mm512_shuffle_f32x4(a.v, b.v, 0x44), _mm512_shuffle_f32x4(a.v, b.v, 0xee))};
  } else if constexpr (kLevel == 1) {
    return {
        _mm512_add_ps(_mm512_shuffle_f32x4(a.v, b.v, 0x88), _mm512_shuffle_f32x4(a.v, b.v, 0xdd))};
  } else if constexpr (kLevel == 2) {
    return {_mm512_add_ps(_mm512_shuffle_ps(a.v, b.v, 0x44), _mm512_shuffle_ps(a.v, b.v, 0xee))};
  } else {
    return {_mm512_add_ps(_mm512_shuffle_ps(a.v, b.v, 0x88), _mm512_shuffle_ps(a.v, b.v, 0xdd))};
  }
}
// Lane i is SumLanes(v[i]), bit for bit.
inline Vec SumEach(const Vec (&v)[kWidth]) {
  Vec a[8];
  FERRY_UNROLL
  for (int i = 0; i < 8; ++i) a[i] = JoinLevel<0>(v[2 * i], v[2 * i + 1]);
  FERRY_UNROLL
  for (int i = 0; i < 4; ++i) a[i] = JoinLevel<1>(a[2 * i], a[2 * i + 1]);
  FERRY_UNROLL
  for (int i = 0; i < 2; ++i) a[i] = JoinLevel<2>(a[2 * i], a[2 * i + 1]);
  const Vec mixed = JoinLevel<3>(a[0], a[1]);  // sum i stands in lane 4 (i % 4) + i / 4
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return {_mm512_permutexvar_ps(order, mixed.v)};
}

}  // namespace
}  // namespace ferry::kernels
