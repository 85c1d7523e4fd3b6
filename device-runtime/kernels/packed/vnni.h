// A register holds a step of all 16 rows: one instruction multiplies its stored codes, unsigned,
// with four activations everywhere and adds them to 32-bit sums. Included by the
// files of sets that have it, never elsewhere.
#pragma once

// Intrinsics leave registers that they overwrite wholly uninitialised, of which GCC 12 warns (its
// bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include <immintrin.h>

#include "device-runtime/kernels/packed/kernels.h"

#define FERRY_UNROLL _Pragma("GCC unroll 64")

namespace ferry::kernels {
namespace {

struct Codes {
  __m512i v;
};
struct Sums {
  __m512i v;
};
using Ints = Sums;
struct Floats {
  __m512 v;
};

template <int kBits>
constexpr int64_t kRunChunks = 0;
// A product takes four or five cycles, one or two begin in each.
template <int kRows>
constexpr int kChains = kRows == 1   ? 4
                        : kRows <= 3 ? 2
                                     : 1;

inline Codes LoadCodes(const uint8_t* p) {
  return {_mm512_loadu_si512(p)};
}
inline void StoreCodes(uint8_t* p, Codes x) {
  _mm512_storeu_si512(p, x.v);
}
template <int kShift, int kMask>
inline Codes Field(Codes x) {
  return {_mm512_and_si512(_mm512_srli_epi16(x.v, kShift), _mm512_set1_epi8(kMask))};
}
// Bit kBit of each byte of `upper` as bit 2.
template <int kBit>
inline Codes WithUpperBit(Codes lower, Codes upper) {
  const __m512i moved =
      kBit < 2 ? _mm512_slli_epi16(upper.v, 2 - kBit) : _mm512_srli_epi16(upper.v, kBit - 2);
  return {_mm512_or_si512(lower.v, _mm512_and_si512(moved, _mm512_set1_epi8(4)))};
}
template <int kBits>
inline Codes Prepare(Codes x) {
  return x;
}
inline __m512i FourBytes(const uint8_t* p) {
  int32_t four;
  __builtin_memcpy(&four, p, sizeof four);
  return _mm512_set1_epi32(four);
}
inline void Dot(Sums& sum, Codes w, const uint8_t* x) {
  sum.v = _mm512_dpbusd_epi32(sum.v, w.v, FourBytes(x));
}
inline Sums NoSums() {
  return {_mm512_setzero_si512()};
}
// Stored codes are 2^(bits - 1) too large: that many times the sum of x is taken off beforehand.
template <int kBits>
inline Sums StartGroup(const uint8_t* negative) {
  return {_mm512_slli_epi32(FourBytes(negative), kBits - 1)};
}
template <int kBits>
inline void StartChunk(const uint8_t*, Sums*) {}
inline void AddSums(Sums* a, Sums b) {
  a->v = _mm512_add_epi32(a->v, b.v);
}
template <int kBits>
inline Ints Widen(Sums x) {
  return x;
}

inline Ints SetInts(int32_t x) {
  return {_mm512_set1_epi32(x)};
}
inline Ints AddInts(Ints x, Ints y) {
  return {_mm512_add_epi32(x.v, y.v)};
}
template <int kByte>
inline Ints ByteOf(Codes x) {
  return {_mm512_and_si512(_mm512_srli_epi32(x.v, 8 * kByte), _mm512_set1_epi32(255))};
}
inline Floats ToFloats(Ints x) {
  return {_mm512_cvtepi32_ps(x.v)};
}
inline Floats SetFloats(float x) {
  return {_mm512_set1_ps(x)};
}
inline Floats LoadFloats(const float* p) {
  return {_mm512_loadu_ps(p)};
}
inline void StoreFloats(float* p, Floats x) {
  _mm512_storeu_ps(p, x.v);
}
inline Floats AddFloats(Floats x, Floats y) {
  return {_mm512_add_ps(x.v, y.v)};
}
inline Floats MulFloats(Floats x, Floats y) {
  return {_mm512_mul_ps(x.v, y.v)};
}
inline Floats FmaFloats(Floats x, Floats y, Floats z) {
  return {_mm512_fmadd_ps(x.v, y.v, z.v)};
}
inline Floats Everywhere(const uint8_t* p) {
  float x;
  __builtin_memcpy(&x, p, sizeof x);
  return SetFloats(x);
}
inline Floats LoadNumbers(PackedScale type, const uint8_t* p) {
  const auto* halves = reinterpret_cast<const __m256i*>(p);
  switch (type) {
    case PackedScale::kF16:
      return {_mm512_cvtph_ps(_mm256_loadu_si256(halves))};
    case PackedScale::kBF16:
      return {_mm512_castsi512_ps(
          _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256(halves)), 16))};
    default:
      return LoadFloats(reinterpret_cast<const float*>(p));
  }
}
inline Floats LoadBytes(const uint8_t* p) {
  return {_mm512_cvtepi32_ps(
      _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))))};
}

}  // namespace
}  // namespace ferry::kernels

#include "device-runtime/kernels/packed/quantize_x86.h"
#include "device-runtime/kernels/packed/tile.h"

#define FERRY_FEW(bits)                                                                          \
  {                                                                                              \
    nullptr, Few<bits, 1>, Few<bits, 2>, Few<bits, 3>, Few<bits, 4>, Few<bits, 5>, Few<bits, 6>, \
        Few<bits, 7>, Few<bits, 8>                                                               \
  }
