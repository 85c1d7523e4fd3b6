// Bytes and whole numbers in registers of 256 bits. Included by the files of sets that have no
// larger ones before what they define themselves, never elsewhere.
#pragma once

#include "device-runtime/kernels/simd/avx2.h"

namespace ferry::kernels {
namespace {

constexpr int kByteWidth = 32;

struct Ints {
  __m256i v;
};
struct Bytes {
  __m256i v;
};
inline Ints LoadInts(const int32_t* p) {
  return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
}
inline void StoreInts(int32_t* p, Ints x) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x.v);
}
inline void StorePart(int32_t* p, Ints x, int64_t count) {
  _mm256_maskstore_epi32(p, FirstLanes(count), x.v);
}
inline Ints SetInts(int32_t x) {
  return {_mm256_set1_epi32(x)};
}
inline Ints AddInts(Ints a, Ints b) {
  return {_mm256_add_epi32(a.v, b.v)};
}
inline Vec ToFloats(Ints x) {
  return {_mm256_cvtepi32_ps(x.v)};
}
inline Ints ToInts(Vec x) {  // halves to even
  return {_mm256_cvtps_epi32(x.v)};
}

inline __m128i Eight(const uint8_t* p, int64_t count) {
  if (count >= 8) return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  uint64_t x = 0;
  __builtin_memcpy(&x, p, static_cast<size_t>(count));
  return _mm_cvtsi64_si128(static_cast<int64_t>(x));
}
template <bool kSigned>
inline Ints IntsOf(const uint8_t* p, int64_t count) {
  const __m128i bytes = Eight(p, count);
  return {kSigned ? _mm256_cvtepi8_epi32(bytes) : _mm256_cvtepu8_epi32(bytes)};
}
template <bool kSigned>
inline Vec LoadBytes(const uint8_t* p, int64_t count) {
  return ToFloats(IntsOf<kSigned>(p, count));
}
// Elements fit a byte: the low byte of each lane.
inline void StoreBytes(uint8_t* p, Ints x, int64_t count) {
  const __m256i low = _mm256_shuffle_epi8(
      x.v, _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 4, 8,
                            12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1));
  const __m128i both =
      _mm_unpacklo_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
  const int64_t bytes = _mm_cvtsi128_si64(both);
  __builtin_memcpy(p, &bytes, static_cast<size_t>(count >= 8 ? 8 : count));
}

// Channels that a depthwise step takes, and their sums.
constexpr int kBlock = 8;
struct BlockSums {
  __m256i v;
};
inline BlockSums LoadBlock(const int32_t* p) {
  return {LoadInts(p).v};
}
inline void StoreBlock(int32_t* p, BlockSums x) {
  StoreInts(p, {x.v});
}
// Weights of two taps: two 16-bit numbers for each channel.
inline BlockSums LoadPairs(const int16_t* weight) {
  return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(weight))};
}
// sums + a * w + b * w', of the first `count` channels.
template <bool kSigned>
inline BlockSums AddPairs(BlockSums sums, const uint8_t* a, const uint8_t* b, int64_t count,
                          BlockSums w) {
  const __m128i pairs = _mm_unpacklo_epi8(Eight(a, count), Eight(b, count));
  const __m256i wide = kSigned ? _mm256_cvtepi8_epi16(pairs) : _mm256_cvtepu8_epi16(pairs);
  return {_mm256_add_epi32(sums.v, _mm256_madd_epi16(wide, w.v))};
}

inline Bytes LoadAll(const uint8_t* p, int64_t count) {
  if (count >= kByteWidth) return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
  alignas(32) uint8_t part[kByteWidth] = {};
  __builtin_memcpy(part, p, static_cast<size_t>(count));
  return {_mm256_load_si256(reinterpret_cast<const __m256i*>(part))};
}
inline void StoreAll(uint8_t* p, Bytes x, int64_t count) {
  if (count >= kByteWidth) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x.v);
    return;
  }
  alignas(32) uint8_t part[kByteWidth];
  _mm256_store_si256(reinterpret_cast<__m256i*>(part), x.v);
  __builtin_memcpy(p, part, static_cast<size_t>(count));
}
template <bool kSigned>
inline Bytes MaxBytes(Bytes a, Bytes b) {
  return {kSigned ? _mm256_max_epi8(a.v, b.v) : _mm256_max_epu8(a.v, b.v)};
}

// Sixteen tables of 16 entries by the lower four bits, chosen by the upper ones.
struct ByteTable {
  explicit ByteTable(const uint8_t* entries) : entries(entries) {}
  __m256i Sixteen(int i, __m256i low) const {
    const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(entries + 16 * i));
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(part), low);
  }
  Bytes Of(Bytes x) const {
    const __m256i low = _mm256_and_si256(x.v, _mm256_set1_epi8(15));
    const __m256i bit_4 = _mm256_slli_epi16(x.v, 3), bit_5 = _mm256_slli_epi16(x.v, 2);
    const __m256i bit_6 = _mm256_slli_epi16(x.v, 1);
    __m256i fours[4];
    for (int i = 0; i < 4; ++i) {
      const __m256i a = _mm256_blendv_epi8(Sixteen(4 * i, low), Sixteen(4 * i + 1, low), bit_4);
      const __m256i b = _mm256_blendv_epi8(Sixteen(4 * i + 2, low), Sixteen(4 * i + 3, low), bit_4);
      fours[i] = _mm256_blendv_epi8(a, b, bit_5);
    }
    return {_mm256_blendv_epi8(_mm256_blendv_epi8(fours[0], fours[1], bit_6),
                               _mm256_blendv_epi8(fours[2], fours[3], bit_6), x.v)};
  }
  const uint8_t* entries;
};

}  // namespace
}  // namespace ferry::kernels
