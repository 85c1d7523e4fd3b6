// Two registers of 256 bits hold a step of all 16 rows. Included by the files of sets that have no
// larger ones before what they define themselves, never elsewhere.
#pragma once

#include <immintrin.h>

#include "device-runtime/kernels/packed/kernels.h"

#define FERRY_UNROLL _Pragma("GCC unroll 64")

namespace ferry::kernels {
namespace {

struct Codes {
  __m256i a, b;  // rows 0 to 7, rows 8 to 15
};
struct Sums {
  __m256i a, b;
};
struct Ints {
  __m256i a, b;
};
struct Floats {
  __m256 a, b;
};
inline Codes LoadCodes(const uint8_t* p) {
  return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)),
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 32))};
}
inline void StoreCodes(uint8_t* p, Codes x) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x.a);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p + 32), x.b);
}
template <int kShift, int kMask>
inline Codes Field(Codes x) {
  const __m256i mask = _mm256_set1_epi8(kMask);
  return {_mm256_and_si256(_mm256_srli_epi16(x.a, kShift), mask),
          _mm256_and_si256(_mm256_srli_epi16(x.b, kShift), mask)};
}
// Bit kBit of each byte of `upper` as bit 2.
template <int kBit>
inline Codes WithUpperBit(Codes lower, Codes upper) {
  const __m256i mask = _mm256_set1_epi8(4);
  if constexpr (kBit < 2) {
    upper = {_mm256_slli_epi16(upper.a, 2 - kBit), _mm256_slli_epi16(upper.b, 2 - kBit)};
  } else {
    upper = {_mm256_srli_epi16(upper.a, kBit - 2), _mm256_srli_epi16(upper.b, kBit - 2)};
  }
  return {_mm256_or_si256(lower.a, _mm256_and_si256(upper.a, mask)),
          _mm256_or_si256(lower.b, _mm256_and_si256(upper.b, mask))};
}
inline __m256i FourBytes(const uint8_t* p) {
  int32_t four;
  __builtin_memcpy(&four, p, sizeof four);
  return _mm256_set1_epi32(four);
}
inline Sums NoSums() {
  return {_mm256_setzero_si256(), _mm256_setzero_si256()};
}
inline void AddSums(Sums* a, Sums b) {
  *a = {_mm256_add_epi32(a->a, b.a), _mm256_add_epi32(a->b, b.b)};
}

inline Ints SetInts(int32_t x) {
  return {_mm256_set1_epi32(x), _mm256_set1_epi32(x)};
}
inline Ints AddInts(Ints x, Ints y) {
  return {_mm256_add_epi32(x.a, y.a), _mm256_add_epi32(x.b, y.b)};
}
template <int kByte>
inline Ints ByteOf(Codes x) {
  const __m256i mask = _mm256_set1_epi32(255);
  return {_mm256_and_si256(_mm256_srli_epi32(x.a, 8 * kByte), mask),
          _mm256_and_si256(_mm256_srli_epi32(x.b, 8 * kByte), mask)};
}
inline Floats ToFloats(Ints x) {
  return {_mm256_cvtepi32_ps(x.a), _mm256_cvtepi32_ps(x.b)};
}
inline Floats SetFloats(float x) {
  return {_mm256_set1_ps(x), _mm256_set1_ps(x)};
}
inline Floats LoadFloats(const float* p) {
  return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)};
}
inline void StoreFloats(float* p, Floats x) {
  _mm256_storeu_ps(p, x.a);
  _mm256_storeu_ps(p + 8, x.b);
}
inline Floats AddFloats(Floats x, Floats y) {
  return {_mm256_add_ps(x.a, y.a), _mm256_add_ps(x.b, y.b)};
}
inline Floats MulFloats(Floats x, Floats y) {
  return {_mm256_mul_ps(x.a, y.a), _mm256_mul_ps(x.b, y.b)};
}
inline Floats FmaFloats(Floats x, Floats y, Floats z) {
  return {_mm256_fmadd_ps(x.a, y.a, z.a), _mm256_fmadd_ps(x.b, y.b, z.b)};
}
inline Floats Everywhere(const uint8_t* p) {
  float x;
  __builtin_memcpy(&x, p, sizeof x);
  return SetFloats(x);
}
inline __m128i Sixteen(const uint8_t* p) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}
inline Floats LoadNumbers(PackedScale type, const uint8_t* p) {
  switch (type) {
    case PackedScale::kF16:
      return {_mm256_cvtph_ps(Sixteen(p)), _mm256_cvtph_ps(Sixteen(p + 16))};
    case PackedScale::kBF16:
      return {_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(Sixteen(p)), 16)),
              _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(Sixteen(p + 16)), 16))};
    default:
      return LoadFloats(reinterpret_cast<const float*>(p));
  }
}
inline Floats LoadBytes(const uint8_t* p) {
  const __m128i bytes = Sixteen(p);
  return {_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes)),
          _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128(bytes, 8)))};
}

}  // namespace
}  // namespace ferry::kernels
