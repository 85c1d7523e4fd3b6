// One register of floats with AVX2 and FMA. Only avx2.cc files include this; everything is in an
// unnamed namespace, so that no code built with these instructions is merged into portable code.
// The same names as simd/avx512.h: the families' vector.h is written once over them.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "device-runtime/kernels/simd/half.h"

// Before a loop of a constant count over registers: unrolled wholly, or -O2 keeps them in memory.
#define FERRY_UNROLL _Pragma("GCC unroll 64")

namespace ferry::kernels {
namespace {

constexpr int kWidth = 8;
constexpr int kRegisters = 16;

struct Vec {
  __m256 v;
};

// Lanes below `count` all ones.
inline __m256i FirstLanes(int64_t count) {
  static constexpr int32_t kOnes[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
  return _mm256_loadu_si256(
      reinterpret_cast<const __m256i*>(kOnes + 8 - (count >= kWidth ? kWidth : count)));
}

inline Vec Zero() {
  return {_mm256_setzero_ps()};
}
inline Vec Set(float x) {
  return {_mm256_set1_ps(x)};
}
inline Vec Load(const float* p) {
  return {_mm256_loadu_ps(p)};
}
inline void Store(float* p, Vec x) {
  _mm256_storeu_ps(p, x.v);
}
// The first `count` lanes, the others 0; reads nothing behind them.
inline Vec LoadPart(const float* p, int64_t count) {
  return {_mm256_maskload_ps(p, FirstLanes(count))};
}
inline void StorePart(float* p, Vec x, int64_t count) {
  if (count >= kWidth) {
    _mm256_storeu_ps(p, x.v);
  } else {
    _mm256_maskstore_ps(p, FirstLanes(count), x.v);
  }
}
// Stored weights widened exactly. bfloat16 is the upper half of a float32.
inline Vec Load(const uint16_t* p) {
  const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return {_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16))};
}
inline Vec Load(const Half* p) {
  return {_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
}
inline Vec Load(const int8_t* p) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  return {_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes))};
}
// IEEE 754 half precision.
inline Vec LoadHalf(const uint16_t* p) {
  return {_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
}
// The set has no masked loads of elements this small: they go through a register's worth of zeros.
template <typename T>
inline Vec LoadPart(const T* p, int64_t count) {
  T first[kWidth] = {};
  for (int64_t i = 0; i < count && i < kWidth; ++i) first[i] = p[i];
  return Load(first);
}
// Two registers, one after the other.
template <typename T>
inline void LoadPair(const T* p, Vec* a, Vec* b) {
  *a = Load(p);
  *b = Load(p + kWidth);
}
// x in a register: the compiler may not load it again at each use.
inline Vec Kept(Vec x) {
  asm("" : "+x"(x.v));
  return x;
}
inline float First(Vec x) {  // lane 0
  return _mm256_cvtss_f32(x.v);
}
// The first `count` lanes of a, the others of b.
inline Vec SelectFirst(int64_t count, Vec a, Vec b) {
  return {_mm256_blendv_ps(b.v, a.v, _mm256_castsi256_ps(FirstLanes(count)))};
}

inline Vec Add(Vec a, Vec b) {
  return {_mm256_add_ps(a.v, b.v)};
}
inline Vec Sub(Vec a, Vec b) {
  return {_mm256_sub_ps(a.v, b.v)};
}
inline Vec Mul(Vec a, Vec b) {
  return {_mm256_mul_ps(a.v, b.v)};
}
inline Vec Div(Vec a, Vec b) {
  return {_mm256_div_ps(a.v, b.v)};
}
// 1 / d for normal d below 2^126; estimates are too coarse here.
inline Vec Reciprocal(Vec d) {
  return Div({_mm256_set1_ps(1.0f)}, d);
}
inline Vec Fma(Vec a, Vec b, Vec c) {  // a * b + c, rounded once
  return {_mm256_fmadd_ps(a.v, b.v, c.v)};
}
inline Vec Fnma(Vec a, Vec b, Vec c) {  // c - a * b, rounded once
  return {_mm256_fnmadd_ps(a.v, b.v, c.v)};
}
// b when either is NaN, as the instruction does.
inline Vec Max(Vec a, Vec b) {
  return {_mm256_max_ps(a.v, b.v)};
}
inline Vec Min(Vec a, Vec b) {
  return {_mm256_min_ps(a.v, b.v)};
}
inline Vec Sqrt(Vec a) {
  return {_mm256_sqrt_ps(a.v)};
}
inline Vec Abs(Vec a) {
  return {_mm256_andnot_ps(_mm256_set1_ps(-0.0f), a.v)};
}
inline Vec Nearest(Vec a) {  // halves to even
  return {_mm256_round_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
}
inline Vec Down(Vec a) {
  return {_mm256_floor_ps(a.v)};
}
// magnitude's bits with sign's sign.
inline Vec CopySign(Vec magnitude, Vec sign) {
  const __m256 bit = _mm256_set1_ps(-0.0f);
  return {_mm256_or_ps(_mm256_and_ps(sign.v, bit), _mm256_andnot_ps(bit, magnitude.v))};
}
// a < b ? yes : no; no when either is NaN.
inline Vec IfLess(Vec a, Vec b, Vec yes, Vec no) {
  return {_mm256_blendv_ps(no.v, yes.v, _mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ))};
}
// Whether a lane of a is above that of b.
inline bool AnyAbove(Vec a, Vec b) {
  return _mm256_movemask_ps(_mm256_cmp_ps(a.v, b.v, _CMP_GT_OQ)) != 0;
}
inline Vec IfNan(Vec a, Vec yes, Vec no) {
  return {_mm256_blendv_ps(no.v, yes.v, _mm256_cmp_ps(a.v, a.v, _CMP_UNORD_Q))};
}
// 2^n for whole n in [-126, 127].
inline Vec PowerOfTwo(Vec n) {
  const __m256i bits = _mm256_add_epi32(_mm256_cvtps_epi32(n.v), _mm256_set1_epi32(127));
  return {_mm256_castsi256_ps(_mm256_slli_epi32(bits, 23))};
}
// x * 2^n for whole n in [-252, 254]: in two factors, since either alone may leave the range.
inline Vec TimesPowerOfTwo(Vec x, Vec n) {
  const Vec half = Down(Mul(n, Set(0.5f)));
  return Mul(Mul(x, PowerOfTwo(half)), PowerOfTwo(Sub(n, half)));
}
// The same for n from -126 to 127.
inline Vec TimesNormalPower(Vec x, Vec n) {
  return Mul(x, PowerOfTwo(n));
}
// For normal x > 0: x = mantissa * 2^result with the mantissa in [0.5, 1).
inline Vec SplitExponent(Vec x, Vec* mantissa) {
  const __m256i bits = _mm256_castps_si256(x.v);
  const __m256i exponent = _mm256_sub_epi32(_mm256_srli_epi32(bits, 23), _mm256_set1_epi32(126));
  mantissa->v = _mm256_castsi256_ps(_mm256_or_si256(
      _mm256_and_si256(bits, _mm256_set1_epi32(0x007fffff)), _mm256_set1_epi32(0x3f000000)));
  return {_mm256_cvtepi32_ps(exponent)};
}

// The upper half joined onto the lower by `join`, then pairs: the same fixed order for all.
#define FERRY_JOIN_LANES(name, join)                                                  \
  inline float name(Vec a) {                                                          \
    __m128 x = join##_ps(_mm256_castps256_ps128(a.v), _mm256_extractf128_ps(a.v, 1)); \
    x = join##_ps(x, _mm_movehl_ps(x, x));                                            \
    x = join##_ss(x, _mm_movehdup_ps(x));                                             \
    return _mm_cvtss_f32(x);                                                          \
  }
FERRY_JOIN_LANES(SumLanes, _mm_add)
FERRY_JOIN_LANES(MaxLanes, _mm_max)
FERRY_JOIN_LANES(MinLanes, _mm_min)
FERRY_JOIN_LANES(ProductLanes, _mm_mul)
#undef FERRY_JOIN_LANES

// Lane i is SumLanes(v[i]), bit for bit: its tree, two registers at once.
inline Vec SumEach(const Vec (&v)[kWidth]) {
  __m256 a[4];
  FERRY_UNROLL
  for (int i = 0; i < 4; ++i) {
    a[i] = _mm256_add_ps(_mm256_permute2f128_ps(v[2 * i].v, v[2 * i + 1].v, 0x20),
                         _mm256_permute2f128_ps(v[2 * i].v, v[2 * i + 1].v, 0x31));
  }
  FERRY_UNROLL
  for (int i = 0; i < 2; ++i) {
    a[i] = _mm256_add_ps(_mm256_shuffle_ps(a[2 * i], a[2 * i + 1], 0x44),
                         _mm256_shuffle_ps(a[2 * i], a[2 * i + 1], 0xee));
  }
  const __m256 mixed =  // sum i stands in lane 4 (i % 2) + i / 2
      _mm256_add_ps(_mm256_shuffle_ps(a[0], a[1], 0x88), _mm256_shuffle_ps(a[0], a[1], 0xdd));
  return {_mm256_permutevar8x32_ps(mixed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7))};
}

}  // namespace
}  // namespace ferry::kernels
