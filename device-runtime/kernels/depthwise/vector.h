// The depthwise run over one register type. Included by avx2.cc and avx512.cc after their simd
// header, never elsewhere.
#pragma once

#include "device-runtime/kernels/depthwise/kernels.h"

namespace ferry::kernels {
namespace {

// Pixels that share the loads of weights; their sums are independent chains.
constexpr int kPixelBlock = 8;

template <int kPixels, bool kPart>
void PixelBlock(const DepthwiseArgs& t, int64_t pixel, int64_t c, int64_t count) {
  const auto load = [count](const float* p) { return kPart ? LoadPart(p, count) : Load(p); };
  Vec sum[kPixels];
  FERRY_UNROLL
  for (int p = 0; p < kPixels; ++p) sum[p] = Zero();
  const int64_t offset = pixel * t.pixel_stride + c;
  for (int64_t tap = 0; tap < t.taps; ++tap) {
    const Vec weight = load(t.weight[tap] + c);
    const float* in = t.in[tap] + offset;
    FERRY_UNROLL
    for (int p = 0; p < kPixels; ++p) {
      sum[p] = Fma(load(in + p * t.pixel_stride), weight, sum[p]);
    }
  }
  const Vec bias = t.bias == nullptr ? Zero() : load(t.bias + c);
  FERRY_UNROLL
  for (int p = 0; p < kPixels; ++p) {
    const int64_t at = (pixel + p) * t.channels + c;
    Vec x = Add(sum[p], bias);
    if (t.add != nullptr) x = Add(x, load(t.add + at));
    x = Min(Set(t.high), Max(Set(t.low), x));
    if (kPart) {
      StorePart(t.out + at, x, count);
    } else {
      Store(t.out + at, x);
    }
  }
}

template <int kPixels>
void AllChannels(const DepthwiseArgs& t, int64_t pixel) {
  int64_t c = 0;
  for (; c + kWidth <= t.channels; c += kWidth) PixelBlock<kPixels, false>(t, pixel, c, kWidth);
  if (c < t.channels) PixelBlock<kPixels, true>(t, pixel, c, t.channels - c);
}

void RunDepthwise(const DepthwiseArgs& t) {
  int64_t pixel = 0;
  for (; pixel + kPixelBlock <= t.pixels; pixel += kPixelBlock) AllChannels<kPixelBlock>(t, pixel);
  if (pixel + 4 <= t.pixels) {
    AllChannels<4>(t, pixel);
    pixel += 4;
  }
  for (; pixel + 2 <= t.pixels; pixel += 2) AllChannels<2>(t, pixel);
  if (pixel < t.pixels) AllChannels<1>(t, pixel);
}

}  // namespace
}  // namespace ferry::kernels
