// The Winograd transforms over one register type. Included by <isa>.cc after its simd header, never
// elsewhere. Rows of B^T and A^T that belong to points p and -p share their even and odd halves.
#pragma once

#include "device-runtime/kernels/winograd/kernels.h"

namespace ferry::kernels {
namespace {

// out = B^T in, elements `step` apart in `in` and `out`, which may be the same.
inline void InputLine2(const Vec* in, int step, Vec* out) {
  const Vec d0 = in[0], d1 = in[step], d2 = in[2 * step], d3 = in[3 * step];
  out[0] = Sub(d2, d0);
  out[step] = Add(d2, d1);
  out[2 * step] = Sub(d2, d1);
  out[3 * step] = Sub(d3, d1);
}

inline void InputLine4(const Vec* in, int step, Vec* out) {
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

inline void InputLine6(const Vec* in, int step, Vec* out) {
  const Vec d0 = in[0], d1 = in[step], d2 = in[2 * step], d3 = in[3 * step];
  const Vec d4 = in[4 * step], d5 = in[5 * step], d6 = in[6 * step], d7 = in[7 * step];
  const Vec wide = Set(5.25f), middle = Set(4.25f);
  out[0] = Fma(wide, Sub(d2, d4), Sub(d6, d0));
  out[7 * step] = Fma(wide, Sub(d3, d5), Sub(d7, d1));
  const Vec even_1 = Fnma(middle, d4, Add(d2, d6));
  const Vec odd_1 = Fnma(middle, d3, Add(d1, d5));
  out[step] = Add(even_1, odd_1);
  out[2 * step] = Sub(even_1, odd_1);
  const Vec even_2 = Fma(Set(0.25f), d2, Fnma(Set(1.25f), d4, d6));
  const Vec odd_2 = Fma(Set(0.5f), d1, Fnma(Set(2.5f), d3, Mul(Set(2.0f), d5)));
  out[3 * step] = Add(even_2, odd_2);
  out[4 * step] = Sub(even_2, odd_2);
  const Vec even_half = Fma(Set(4.0f), d2, Fnma(Set(5.0f), d4, d6));
  const Vec odd_half = Fma(Set(2.0f), d1, Fnma(Set(2.5f), d3, Mul(Set(0.5f), d5)));
  out[5 * step] = Add(even_half, odd_half);
  out[6 * step] = Sub(even_half, odd_half);
}

// out = A^T in: elements in_step apart to elements out_step apart.
inline void OutputLine2(const Vec* in, int in_step, Vec* out, int out_step) {
  const Vec m1 = in[in_step], m2 = in[2 * in_step];
  out[0] = Add(in[0], Add(m1, m2));
  out[out_step] = Add(Sub(m1, m2), in[3 * in_step]);
}

inline void OutputLine4(const Vec* in, int in_step, Vec* out, int out_step) {
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

inline void OutputLine6(const Vec* in, int in_step, Vec* out, int out_step) {
  const Vec sum = Add(in[in_step], in[2 * in_step]);
  const Vec difference = Sub(in[in_step], in[2 * in_step]);
  const Vec far_sum = Add(in[3 * in_step], in[4 * in_step]);
  const Vec far_difference = Sub(in[3 * in_step], in[4 * in_step]);
  const Vec near_sum = Add(in[5 * in_step], in[6 * in_step]);
  const Vec near_difference = Sub(in[5 * in_step], in[6 * in_step]);
  out[0] = Add(Add(in[0], sum), Add(far_sum, near_sum));
  out[out_step] = Fma(Set(2.0f), far_difference, Fma(Set(0.5f), near_difference, difference));
  out[2 * out_step] = Fma(Set(4.0f), far_sum, Fma(Set(0.25f), near_sum, sum));
  out[3 * out_step] = Fma(Set(8.0f), far_difference, Fma(Set(0.125f), near_difference, difference));
  out[4 * out_step] = Fma(Set(16.0f), far_sum, Fma(Set(0.0625f), near_sum, sum));
  out[5 * out_step] =
      Add(Fma(Set(32.0f), far_difference, Fma(Set(0.03125f), near_difference, difference)),
          in[7 * in_step]);
}

template <int kOut>
inline void InputLine(const Vec* in, int step, Vec* out) {
  if constexpr (kOut == 2) InputLine2(in, step, out);
  if constexpr (kOut == 4) InputLine4(in, step, out);
  if constexpr (kOut == 6) InputLine6(in, step, out);
}

template <int kOut>
inline void OutputLine(const Vec* in, int in_step, Vec* out, int out_step) {
  if constexpr (kOut == 2) OutputLine2(in, in_step, out, out_step);
  if constexpr (kOut == 4) OutputLine4(in, in_step, out, out_step);
  if constexpr (kOut == 6) OutputLine6(in, in_step, out, out_step);
}

// A tile does not fit in registers: columns first, through a scratch of tiles in the first-level
// cache, then rows.
template <int kOut>
void WinogradInput(const float* const* pixels, int64_t channels, int64_t point_stride, float* out) {
  constexpr int kIn = kOut + 2;
  for (int64_t c = 0; c < channels; c += kWidth) {
    const int64_t count = channels - c;
    Vec d[kIn * kIn];
    for (int i = 0; i < kIn; ++i) {
      Vec line[kIn];
      FERRY_UNROLL
      for (int j = 0; j < kIn; ++j) line[j] = LoadPart(pixels[j * kIn + i] + c, count);
      InputLine<kOut>(line, 1, line);
      FERRY_UNROLL
      for (int j = 0; j < kIn; ++j) d[j * kIn + i] = line[j];
    }
    float* to = out + c;
    for (int i = 0; i < kIn; ++i) {
      Vec line[kIn];
      InputLine<kOut>(d + i * kIn, 1, line);
      FERRY_UNROLL
      for (int j = 0; j < kIn; ++j, to += point_stride) StorePart(to, line[j], count);
    }
  }
}

template <int kOut>
void WinogradOutput(const WinogradOutputArgs& t) {
  constexpr int kIn = kOut + 2;
  for (int64_t c = 0; c < t.channels; c += kWidth) {
    const int64_t count = t.channels - c;
    Vec half[kOut * kIn];
    for (int i = 0; i < kIn; ++i) {
      const float* from = t.in + i * t.point_stride + c;
      Vec line[kIn];
      FERRY_UNROLL
      for (int j = 0; j < kIn; ++j, from += kIn * t.point_stride) line[j] = LoadPart(from, count);
      OutputLine<kOut>(line, 1, half + i, kIn);
    }
    const Vec bias = t.bias == nullptr ? Zero() : LoadPart(t.bias + c, count);
    for (int row = 0; row < kOut; ++row) {
      Vec y[kOut];
      OutputLine<kOut>(half + row * kIn, 1, y, 1);
      FERRY_UNROLL
      for (int column = 0; column < kOut; ++column) {
        const int i = row * kOut + column;
        if (t.out[i] == nullptr) continue;
        Vec x = Add(y[column], bias);
        if (t.add != nullptr) x = Add(x, LoadPart(t.add[i] + c, count));
        StorePart(t.out[i] + c, Min(Set(t.high), Max(Set(t.low), x)), count);
      }
    }
  }
}

constexpr WinogradKernels kVectorWinograd = {{WinogradInput<2>, WinogradOutput<2>},
                                             {WinogradInput<4>, WinogradOutput<4>},
                                             {WinogradInput<6>, WinogradOutput<6>}};

}  // namespace
}  // namespace ferry::kernels
