// Winograd's F(4x4, 3x3) in whole numbers (winograd.cc), over registers of 16 and 32 bits. Included
// by <isa>.cc after DotPairs and vector.h, never elsewhere. Portable vectors of the compiler.
#pragma once

#include "device-runtime/kernels/quant/kernels.h"

namespace ferry::kernels {
namespace {

constexpr int kShorts = 2 * kWidth;
using Shorts = int16_t __attribute__((vector_size(2 * kShorts)));
using ShortBytes = uint8_t __attribute__((vector_size(kShorts)));
using SignedShortBytes = int8_t __attribute__((vector_size(kShorts)));
using Words = uint32_t __attribute__((vector_size(4 * kWidth)));
using SignedWords = int32_t __attribute__((vector_size(4 * kWidth)));

// One line of B^T d: 16 bits hold ten times ten times any difference of two bytes.
inline void PointLine(const Shorts* d, int step, Shorts* out, int out_step) {
  const Shorts even = d[4 * step] - d[2 * step] * 4, odd = d[3 * step] - d[step] * 4;
  const Shorts near = d[4 * step] - d[2 * step], odd_near = (d[3 * step] - d[step]) * 2;
  out[0] = d[0] * 4 - d[2 * step] * 5 + d[4 * step];
  out[out_step] = even + odd;
  out[2 * out_step] = even - odd;
  out[3 * out_step] = near + odd_near;
  out[4 * out_step] = near - odd_near;
  out[5 * out_step] = d[step] * 4 - d[3 * step] * 5 + d[5 * step];
}

template <bool kSigned>
inline Shorts ShortsOf(const uint8_t* p, int64_t count) {
  ShortBytes bytes = {};
  if (count >= kShorts) {
    __builtin_memcpy(&bytes, p, kShorts);
  } else {
    __builtin_memcpy(&bytes, p, static_cast<size_t>(count));
  }
  if constexpr (kSigned) return __builtin_convertvector((SignedShortBytes)bytes, Shorts);
  return __builtin_convertvector(bytes, Shorts);
}

template <bool kSigned>
void PointsOf(const QuantPoints& t) {
  const auto zero = static_cast<int16_t>(t.zero);
  for (int64_t c = 0; c < t.channels; c += kShorts) {
    Shorts line[6], half[36], out[6];
    for (int y = 0; y < 6; ++y) {
      FERRY_UNROLL
      for (int x = 0; x < 6; ++x) {
        line[x] = ShortsOf<kSigned>(t.pixels[6 * y + x] + c, t.channels - c) - zero;
      }
      PointLine(line, 1, half + 6 * y, 1);
    }
    for (int x = 0; x < 6; ++x) {
      PointLine(half + x, 6, out, 1);
      FERRY_UNROLL
      for (int y = 0; y < 6; ++y) {
        __builtin_memcpy(t.out + (6 * y + x) * t.point_stride + c, &out[y], sizeof(Shorts));
      }
    }
  }
}

template <int kRows>
void PairTile(const QuantPairTile& t) {
  constexpr int kVectors = 2;
  Ints sum[kRows][kVectors];
  FERRY_UNROLL
  for (int r = 0; r < kRows; ++r) {
    FERRY_UNROLL
    for (int v = 0; v < kVectors; ++v) sum[r][v] = SetInts(0);
  }
  const int16_t* a = t.a;
  const int16_t* b = t.b;
  const int64_t stride = t.a_stride;
  for (int64_t k = 0; k < t.pairs; ++k, a += 2, b += 2 * kVectors * kWidth) {
    Ints right[kVectors];
    FERRY_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      right[v] = LoadInts(reinterpret_cast<const int32_t*>(b + 2 * v * kWidth));
    }
    FERRY_UNROLL
    for (int r = 0; r < kRows; ++r) {
      int32_t pair;
      __builtin_memcpy(&pair, a + r * stride, 4);
      const Ints left = SetInts(pair);
      FERRY_UNROLL
      for (int v = 0; v < kVectors; ++v) sum[r][v] = DotPairs(sum[r][v], left, right[v]);
    }
  }
  FERRY_UNROLL
  for (int r = 0; r < kRows; ++r) {
    FERRY_UNROLL
    for (int v = 0; v < kVectors; ++v) StoreInts(t.c + r * t.c_stride + v * kWidth, sum[r][v]);
  }
}

// One line of 24 A^T m, the points' divisors (4, -6, -6, 24, 24, 1) among it.
inline void PixelLine(const Words* m, int step, Words* out, int out_step) {
  const Words sum = m[step] + m[2 * step], difference = m[step] - m[2 * step];
  const Words far_sum = m[3 * step] + m[4 * step], far_difference = m[3 * step] - m[4 * step];
  out[0] = m[0] * 6 - sum * 4 + far_sum;
  out[out_step] = (far_difference - difference * 2) * 2;
  out[2 * out_step] = (far_sum - sum) * 4;
  out[3 * out_step] = (far_difference * 2 - difference + m[5 * step] * 6) * 4;
}

void PixelsOf(const QuantPixels& t) {
  for (int64_t c = 0; c < t.channels; c += kWidth) {
    Words line[6], half[24], out[4], start;
    for (int y = 0; y < 6; ++y) {
      FERRY_UNROLL
      for (int x = 0; x < 6; ++x) {
        __builtin_memcpy(&line[x], t.in + (6 * y + x) * t.point_stride + c, sizeof(Words));
      }
      PixelLine(line, 1, half + 4 * y, 1);
    }
    __builtin_memcpy(&start, t.start + c, sizeof(Words));
    for (int x = 0; x < 4; ++x) {
      PixelLine(half + x, 4, out, 1);
      FERRY_UNROLL
      for (int y = 0; y < 4; ++y) {
        // 576 times the sum, modulo 2^32: a ninth of it is exact there, a 64th when it is below.
        const SignedWords times_64 = (SignedWords)(out[y] * kNinth);
        const Words sum = (Words)(times_64 >> 6) + start;
        __builtin_memcpy(t.sums + (4 * y + x) * t.sums_stride + c, &sum, sizeof(Words));
      }
    }
  }
}

// The kernels with tiles of 1, 2 .. rows; `bytes` as in QuantWinograd.
template <int... kRows>
constexpr QuantWinograd WinogradOf(int bytes) {
  return {sizeof...(kRows),
          2 * kWidth,
          kShorts,
          bytes,
          {PointsOf<false>, PointsOf<true>},
          {nullptr, PairTile<kRows>...},
          PixelsOf};
}

}  // namespace
}  // namespace ferry::kernels
