// Integers in registers of AVX-512 (with BW): what vector.h needs beside simd/avx512.h.
#pragma once

#include "device-runtime/kernels/simd/avx512.h"

namespace ferry::kernels {
namespace {

constexpr int kByteWidth = 64;

struct Ints {
  __m512i v;
};
struct Bytes {
  __m512i v;
};

inline Ints LoadInts(const int32_t* p) {
  return {_mm512_loadu_si512(p)};
}
inline void StoreInts(int32_t* p, Ints x) {
  _mm512_storeu_si512(p, x.v);
}
inline void StorePart(int32_t* p, Ints x, int64_t count) {
  _mm512_mask_storeu_epi32(p, FirstLanes(count), x.v);
}
inline Ints SetInts(int32_t x) {
  return {_mm512_set1_epi32(x)};
}
inline Ints AddInts(Ints a, Ints b) {
  return {_mm512_add_epi32(a.v, b.v)};
}
inline Vec ToFloats(Ints x) {
  return {_mm512_cvtepi32_ps(x.v)};
}
inline Ints ToInts(Vec x) {  // halves to even
  return {_mm512_cvtps_epi32(x.v)};
}

inline __m128i Sixteen(const uint8_t* p, int64_t count) {
  return count >= 16 ? _mm_loadu_si128(reinterpret_cast<const __m128i*>(p))
                     : _mm_maskz_loadu_epi8(FirstLanes(count), p);
}
template <bool kSigned>
inline Ints IntsOf(const uint8_t* p, int64_t count) {
  const __m128i bytes = Sixteen(p, count);
  return {kSigned ? _mm512_cvtepi8_epi32(bytes) : _mm512_cvtepu8_epi32(bytes)};
}
template <bool kSigned>
inline Vec LoadBytes(const uint8_t* p, int64_t count) {
  return ToFloats(IntsOf<kSigned>(p, count));
}
// Elements fit a byte.
inline void StoreBytes(uint8_t* p, Ints x, int64_t count) {
  const __m128i bytes = _mm512_cvtepi32_epi8(x.v);
  if (count >= kWidth) {  // a masked store is slow
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), bytes);
  } else {
    _mm_mask_storeu_epi8(p, FirstLanes(count), bytes);
  }
}

// Channels that a depthwise step takes, and their sums: of channels 0 to 7 and 16 to 23, and of 8
// to 15 and 24 to 31, as bytes interleave inside lanes.
constexpr int kBlock = 32;
struct BlockSums {
  __m512i a, b;
};
template <typename T>
inline __m512i Halves(const T* low, const T* high) {
  return _mm512_inserti64x4(
      _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(low))),
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(high)), 1);
}
inline BlockSums LoadBlock(const int32_t* p) {
  return {Halves(p, p + 16), Halves(p + 8, p + 24)};
}
inline void StoreBlock(int32_t* p, BlockSums x) {
  auto store = [](int32_t* to, __m256i half) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), half);
  };
  store(p, _mm512_castsi512_si256(x.a));
  store(p + 8, _mm512_castsi512_si256(x.b));
  store(p + 16, _mm512_extracti64x4_epi64(x.a, 1));
  store(p + 24, _mm512_extracti64x4_epi64(x.b, 1));
}
// Weights of two taps: two 16-bit numbers for each channel.
inline BlockSums LoadPairs(const int16_t* weight) {
  return {Halves(weight, weight + 32), Halves(weight + 16, weight + 48)};
}
inline __m256i ThirtyTwo(const uint8_t* p, int64_t count) {
  if (count >= kBlock) return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  return _mm256_maskz_loadu_epi8((__mmask32{1} << count) - 1, p);
}
// sums + a * w + b * w', of the first `count` channels.
template <bool kSigned>
inline BlockSums AddPairs(BlockSums sums, const uint8_t* a, const uint8_t* b, int64_t count,
                          BlockSums w) {
  const __m256i x = ThirtyTwo(a, count);
  const __m256i y = ThirtyTwo(b, count);
  const __m256i low = _mm256_unpacklo_epi8(x, y);
  const __m256i high = _mm256_unpackhi_epi8(x, y);
  const __m512i wide_low = kSigned ? _mm512_cvtepi8_epi16(low) : _mm512_cvtepu8_epi16(low);
  const __m512i wide_high = kSigned ? _mm512_cvtepi8_epi16(high) : _mm512_cvtepu8_epi16(high);
  return {_mm512_add_epi32(sums.a, _mm512_madd_epi16(wide_low, w.a)),
          _mm512_add_epi32(sums.b, _mm512_madd_epi16(wide_high, w.b))};
}

inline __mmask64 FirstBytes(int64_t count) {
  return count >= kByteWidth ? ~__mmask64{0} : (__mmask64{1} << count) - 1;
}
inline Bytes LoadAll(const uint8_t* p, int64_t count) {
  return {_mm512_maskz_loadu_epi8(FirstBytes(count), p)};
}
inline void StoreAll(uint8_t* p, Bytes x, int64_t count) {
  _mm512_mask_storeu_epi8(p, FirstBytes(count), x.v);
}
template <bool kSigned>
inline Bytes MaxBytes(Bytes a, Bytes b) {
  return {kSigned ? _mm512_max_epi8(a.v, b.v) : _mm512_max_epu8(a.v, b.v)};
}

// 256 entries as 128 pairs in four registers: a pair is looked up by the upper seven bits, its half
// chosen by the lowest.
struct ByteTable {
  explicit ByteTable(const uint8_t* entries) {
    for (int i = 0; i < 4; ++i) pairs[i] = _mm512_loadu_si512(entries + 64 * i);
  }
  // Each 16-bit lane holds an index in 0 to 255; the entry lies in the lower byte.
  __m512i Words(__m512i index) const {
    const __m512i pair = _mm512_srli_epi16(index, 1);
    const __m512i low = _mm512_permutex2var_epi16(pairs[0], pair, pairs[1]);
    const __m512i high = _mm512_permutex2var_epi16(pairs[2], pair, pairs[3]);
    const __mmask32 upper = _mm512_test_epi16_mask(index, _mm512_set1_epi16(0x80));
    const __m512i both = _mm512_mask_mov_epi16(low, upper, high);
    const __mmask32 odd = _mm512_test_epi16_mask(index, _mm512_set1_epi16(1));
    return _mm512_mask_srli_epi16(both, odd, both, 8);
  }
  Bytes Of(Bytes x) const {
    const __m512i even = Words(_mm512_and_si512(x.v, _mm512_set1_epi16(0xff)));
    const __m512i odd = Words(_mm512_srli_epi16(x.v, 8));
    return {_mm512_mask_blend_epi8(0xaaaaaaaaaaaaaaaaULL, even, _mm512_slli_epi16(odd, 8))};
  }
  __m512i pairs[4];
};

}  // namespace
}  // namespace ferry::kernels

#define FERRY_TILES(s, v)                                                               \
  {                                                                                     \
    nullptr, Tile<s, 1, v>, Tile<s, 2, v>, Tile<s, 3, v>, Tile<s, 4, v>, Tile<s, 5, v>, \
        Tile<s, 6, v>, Tile<s, 7, v>, Tile<s, 8, v>, Tile<s, 9, v>, Tile<s, 10, v>,     \
        Tile<s, 11, v>, Tile<s, 12, v>                                                  \
  }
