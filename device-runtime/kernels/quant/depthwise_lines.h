// Depthwise convolutions with dot products of four bytes: four columns of an input line interleave
// to one 32-bit lane a channel, which several outputs beside each other read. Included by vnni.cc
// after finish_wide.h, never elsewhere.
#pragma once

#include "device-runtime/kernels/quant/kernels.h"

namespace ferry::kernels {
namespace {

struct LineBlock {
  __m512i start[4];
  __m512 factor[4], offset[4];
};

// Bytes 4 q to 4 q + 3 of each quarter of 64 channels, from four columns.
template <bool kSigned>
inline void Interleave(const uint8_t* const* in, int64_t channel, __mmask64 mask,
                       __m512i (&out)[4]) {
  __m512i x[4];
  FERRY_UNROLL
  for (int i = 0; i < 4; ++i) {
    x[i] = _mm512_maskz_loadu_epi8(mask, in[i] + channel);
    if (kSigned) x[i] = _mm512_xor_si512(x[i], _mm512_set1_epi8(-128));
  }
  const __m512i low_01 = _mm512_unpacklo_epi8(x[0], x[1]);
  const __m512i low_23 = _mm512_unpacklo_epi8(x[2], x[3]);
  const __m512i high_01 = _mm512_unpackhi_epi8(x[0], x[1]);
  const __m512i high_23 = _mm512_unpackhi_epi8(x[2], x[3]);
  out[0] = _mm512_unpacklo_epi16(low_01, low_23);
  out[1] = _mm512_unpackhi_epi16(low_01, low_23);
  out[2] = _mm512_unpacklo_epi16(high_01, high_23);
  out[3] = _mm512_unpackhi_epi16(high_01, high_23);
}

// All pixels of a block of channels. Sums stay in registers: no function takes their address.
template <QuantType kType, bool kSigned, int kOutputs, int kGroups>
inline void LinePixels(const QuantDepthwiseLine& t, const WideSteps& steps, int64_t channel,
                       const int8_t* block_weights, const LineBlock& block) {
  const __mmask64 mask = FirstBytes(t.channels - channel);
  const int64_t lines = t.lines, pixels = t.pixels, columns = t.columns, stride = t.stride;
  const uint8_t* const* from = t.in;
  uint8_t* const end = t.end;
  uint8_t* to = t.y + channel;
  for (int64_t pixel = 0; pixel < pixels; pixel += kOutputs, from += kOutputs * stride) {
    __m512i sum[kOutputs][4];
    FERRY_UNROLL
    for (int p = 0; p < kOutputs; ++p) {
      FERRY_UNROLL
      for (int q = 0; q < 4; ++q) sum[p][q] = block.start[q];
    }
    const int8_t* weights = block_weights;
    const uint8_t* const* in = from;
    for (int64_t line = 0; line < lines; ++line, in += columns) {
      FERRY_UNROLL
      for (int g = 0; g < kGroups; ++g) {
        __m512i x[4];
        Interleave<kSigned>(in + 4 * g, channel, mask, x);
        FERRY_UNROLL
        for (int p = 0; p < kOutputs; ++p) {
          FERRY_UNROLL
          for (int q = 0; q < 4; ++q) {
            const __m512i w = _mm512_loadu_si512(weights + (p * 4 + q) * 64);
            sum[p][q] = _mm512_dpbusd_epi32(sum[p][q], x[q], w);
          }
        }
        weights += kOutputs * 256;
      }
    }
    __m512i y[kOutputs];
    FERRY_UNROLL
    for (int p = 0; p < kOutputs; ++p) {
      __m512i r[4];
      FERRY_UNROLL
      for (int q = 0; q < 4; ++q) {
        r[q] = steps.template One<WideAdd::kNone, WideClip::kBoth>(sum[p][q], block.factor[q],
                                                                   block.offset[q], nullptr);
      }
      y[p] = steps.template Pack<kType>(r[0], r[1], r[2], r[3]);
    }
    FERRY_UNROLL
    for (int p = 0; p < kOutputs; ++p, to += t.channels) {
      if (end - to >= 64) {
        _mm512_storeu_si512(to, y[p]);
      } else if (pixel + p < pixels) {
        _mm512_mask_storeu_epi8(to, mask, y[p]);
      }
    }
  }
}

template <QuantType kType, bool kSigned, int kOutputs, int kGroups>
void LineOf(const QuantDepthwiseLine& t) {
  const WideSteps steps(*t.epilogue);
  // The last block first: what it writes past its channels, others write again.
  for (int64_t b = (t.channels - 1) / 64; b >= 0; --b) {
    const int64_t channel = 64 * b;
    LineBlock block;
    FERRY_UNROLL
    for (int q = 0; q < 4; ++q) {
      block.start[q] = _mm512_loadu_si512(t.start + channel + 16 * q);
      block.factor[q] = _mm512_loadu_ps(t.factor + channel + 16 * q);
      block.offset[q] = _mm512_loadu_ps(t.offset + channel + 16 * q);
    }
    LinePixels<kType, kSigned, kOutputs, kGroups>(
        t, steps, channel, t.weights + b * t.lines * kGroups * kOutputs * 256, block);
  }
}

template <bool kSigned, int kOutputs, int kGroups>
void Line(const QuantDepthwiseLine& t) {
  if (t.epilogue->type == QuantType::kI8) {
    LineOf<QuantType::kI8, kSigned, kOutputs, kGroups>(t);
  } else {
    LineOf<QuantType::kU8, kSigned, kOutputs, kGroups>(t);
  }
}

#define FERRY_LINES(s) \
  { Line<s, 2, 1>, Line<s, 1, 1>, Line<s, 4, 2>, Line<s, 2, 2>, Line<s, 1, 2> }
const QuantDepthwiseLines kLines = {{FERRY_LINES(false), FERRY_LINES(true)}};
#undef FERRY_LINES

}  // namespace
}  // namespace ferry::kernels
