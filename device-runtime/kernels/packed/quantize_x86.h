// Chunks of activations in registers of 256 bits: every set of x86 that has packed kernels of its
// own has those. Included by <isa>.cc, never elsewhere.
#pragma once

#include <immintrin.h>

#include "device-runtime/kernels/packed/kernels.h"

namespace ferry::kernels {
namespace {

// The largest of `bits` and the chunk's magnitudes, as bits: of floats without sign they are in the
// same order, with infinities and NaN on top.
inline uint32_t LargestBits(const float* x, uint32_t bits) {
  const __m256i magnitude = _mm256_set1_epi32(0x7fffffff);
  __m256i most = _mm256_set1_epi32(static_cast<int32_t>(bits));
  for (int i = 0; i < kPackedChunk; i += 8) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + i));
    most = _mm256_max_epi32(most, _mm256_and_si256(v, magnitude));
  }
  __m128i half = _mm_max_epi32(_mm256_castsi256_si128(most), _mm256_extracti128_si256(most, 1));
  half = _mm_max_epi32(half, _mm_shuffle_epi32(half, 0x4e));
  half = _mm_max_epi32(half, _mm_shuffle_epi32(half, 0xb1));
  return static_cast<uint32_t>(_mm_cvtsi128_si32(half));
}

inline void CodesOfChunk(const float* x, float factor, int8_t* codes) {
  const __m256 f = _mm256_set1_ps(factor);
  __m256i part[4];
  for (int i = 0; i < 4; ++i) {
    part[i] = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x + 8 * i), f));
  }
  const __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(part[0], part[1]),
                                           _mm256_packs_epi32(part[2], part[3]));
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(codes), _mm256_permutevar8x32_epi32(bytes, order));
}

// The sums of columns 0 and 1 (low half) and of columns 2 and 3 of the chunk's steps.
inline int32_t PairsOfChunk(const int8_t* codes) {
  const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes));
  const __m256i pairs = _mm256_maddubs_epi16(_mm256_set1_epi8(1), bytes);
  __m128i sum = _mm_add_epi16(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
  sum = _mm_add_epi16(sum, _mm_shuffle_epi32(sum, 0x4e));
  sum = _mm_add_epi16(sum, _mm_shuffle_epi32(sum, 0xb1));
  return _mm_cvtsi128_si32(sum);
}

}  // namespace
}  // namespace ferry::kernels

#include "device-runtime/kernels/packed/quantize_row.h"
