// The Winograd transforms over one register type. Included by avx2.cc and avx512.cc after their
// simd header, never elsewhere.
#pragma once

#include "device-runtime/kernels/winograd/kernels.h"

namespace ferry::kernels {
namespace {

// out = B^T in, elements `step` apart in `in` and `out`.
inline void TransformInput(const Vec* in, int step, Vec* out) {
  const Vec d0 = in[0], d1 = in[step], d2 = in[2 * step];
  const Vec d3 = in[3 * step], d4 = in[4 * step], d5 = in[5 * step];
  const Vec two = Set(2.0f), four = Set(4.0f), five = Set(5.0f);
  const Vec even = Fnma(four, d2, d4);  // d4 - 4 d2
  const Vec odd = Fnma(four, d1, d3);   // d3 - 4 d1
  const Vec even_near = Sub(d4, d2);
  const Vec odd_near = Mul(two, Sub(d3, d1));
  out[0] = Fma(four, d0, Fnma(five, d2, d4));
  out[step] = Add(even, odd);
  out[2 * step] = Sub(even, odd);
  out[3 * step] = Add(even_near, odd_near);
  out[4 * step] = Sub(even_near, odd_near);
  out[5 * step] = Fma(four, d1, Fnma(five, d3, d5));
}

// out = A^T in: 6 elements `in_step` apart to 4 `out_step` apart.
inline void TransformOutput(const Vec* in, int in_step, Vec* out, int out_step) {
  const Vec m0 = in[0], m5 = in[5 * in_step];
  const Vec sum = Add(in[in_step], in[2 * in_step]);
  const Vec difference = Sub(in[in_step], in[2 * in_step]);
  const Vec far_sum = Add(in[3 * in_step], in[4 * in_step]);
  const Vec far_difference = Sub(in[3 * in_step], in[4 * in_step]);
  out[0] = Add(Add(m0, sum), far_sum);
  out[out_step] = Fma(Set(2.0f), far_difference, difference);
  out[2 * out_step] = Fma(Set(4.0f), far_sum, sum);
  out[3 * out_step] = Add(Fma(Set(8.0f), far_difference, difference), m5);
}

void WinogradInput(const float* const* pixels, int64_t channels, int64_t point_stride, float* out) {
  for (int64_t c = 0; c < channels; c += kWidth) {
    const int64_t count = channels - c;
    Vec d[kWinogradPoints];
    FERRY_UNROLL
    for (int i = 0; i < kWinogradPoints; ++i) d[i] = LoadPart(pixels[i] + c, count);
    FERRY_UNROLL
    for (int i = 0; i < kWinogradIn; ++i) TransformInput(d + i, kWinogradIn, d + i);
    FERRY_UNROLL
    for (int i = 0; i < kWinogradIn; ++i)
      TransformInput(d + i * kWinogradIn, 1, d + i * kWinogradIn);
    FERRY_UNROLL
    for (int i = 0; i < kWinogradPoints; ++i) StorePart(out + i * point_stride + c, d[i], count);
  }
}

void WinogradOutput(const WinogradOutputArgs& t) {
  for (int64_t c = 0; c < t.channels; c += kWidth) {
    const int64_t count = t.channels - c;
    Vec m[kWinogradPoints];
    FERRY_UNROLL
    for (int i = 0; i < kWinogradPoints; ++i) m[i] = LoadPart(t.in + i * t.point_stride + c, count);
    Vec half[kWinogradOut * kWinogradIn];  // 4 rows of 6
    FERRY_UNROLL
    for (int i = 0; i < kWinogradIn; ++i) {
      TransformOutput(m + i, kWinogradIn, half + i, kWinogradIn);
    }
    const Vec bias = t.bias == nullptr ? Zero() : LoadPart(t.bias + c, count);
    FERRY_UNROLL
    for (int row = 0; row < kWinogradOut; ++row) {
      Vec y[kWinogradOut];
      TransformOutput(half + row * kWinogradIn, 1, y, 1);
      FERRY_UNROLL
      for (int column = 0; column < kWinogradOut; ++column) {
        const int i = row * kWinogradOut + column;
        if (t.out[i] == nullptr) continue;
        Vec x = Add(y[column], bias);
        if (t.add != nullptr) x = Add(x, LoadPart(t.add[i] + c, count));
        StorePart(t.out[i] + c, Min(Set(t.high), Max(Set(t.low), x)), count);
      }
    }
  }
}

}  // namespace
}  // namespace ferry::kernels
