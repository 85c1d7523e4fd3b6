// The depthwise run over one register type. Included by avx2.cc and avx512.cc after their simd
// header, never elsewhere.
#pragma once

#include "device-runtime/kernels/depthwise/kernels.h"

namespace ferry::kernels {
namespace {

// Pixels that share the loads of weights; their sums are independent chains.
constexpr int kPixelBlock = 8;

// Adds all taps to the sums of kPixels pixels. Taps come in runs of kRun neighbours; where pixels
// lie kStep taps apart, neighbouring pixels share the loads. The order of each sum is that of the
// taps.
template <int kPixels, bool kPart, int kRun, int kStep>
inline void AddTaps(const DepthwiseArgs& t, int64_t offset, int64_t c, int64_t count,
                    Vec (&sum)[kPixels]) {
  const auto load = [count](const float* p) { return kPart ? LoadPart(p, count) : Load(p); };
  for (int64_t tap = 0; tap < t.taps; tap += kRun) {
    Vec weight[kRun];
    FERRY_UNROLL
    for (int k = 0; k < kRun; ++k) weight[k] = load(t.weight[tap + k] + c);
    const float* in = t.in[tap] + offset;
    if constexpr (kRun == 1) {
      FERRY_UNROLL
      for (int p = 0; p < kPixels; ++p) {
        sum[p] = Fma(load(in + p * t.pixel_stride), weight[0], sum[p]);
      }
    } else {
      FERRY_UNROLL
      for (int j = 0; j < (kPixels - 1) * kStep + kRun; ++j) {
        const Vec x = load(in + j * t.tap_stride);
        FERRY_UNROLL
        for (int p = 0; p < kPixels; ++p) {
          const int k = j - p * kStep;
          if (k >= 0 && k < kRun) sum[p] = Fma(x, weight[k], sum[p]);
        }
      }
    }
  }
}

template <int kPixels, bool kPart, int kRun, int kStep>
void PixelBlock(const DepthwiseArgs& t, int64_t pixel, int64_t c, int64_t count) {
  const auto load = [count](const float* p) { return kPart ? LoadPart(p, count) : Load(p); };
  Vec sum[kPixels];
  FERRY_UNROLL
  for (int p = 0; p < kPixels; ++p) sum[p] = Zero();
  AddTaps<kPixels, kPart, kRun, kStep>(t, pixel * t.pixel_stride + c, c, count, sum);
  const Vec bias = t.bias == nullptr ? Zero() : load(t.bias + c);
  FERRY_UNROLL
  for (int p = 0; p < kPixels; ++p) {
    const int64_t at = (pixel + p) * t.out_stride + c;
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

template <int kPixels, int kRun, int kStep>
void AllChannels(const DepthwiseArgs& t, int64_t pixel) {
  int64_t c = 0;
  for (; c + kWidth <= t.channels; c += kWidth) {
    PixelBlock<kPixels, false, kRun, kStep>(t, pixel, c, kWidth);
  }
  if (c < t.channels) PixelBlock<kPixels, true, kRun, kStep>(t, pixel, c, t.channels - c);
}

template <int kRun, int kStep>
void AllPixels(const DepthwiseArgs& t) {
  int64_t pixel = 0;
  for (; pixel + kPixelBlock <= t.pixels; pixel += kPixelBlock) {
    AllChannels<kPixelBlock, kRun, kStep>(t, pixel);
  }
  if (pixel + 4 <= t.pixels) {
    AllChannels<4, kRun, kStep>(t, pixel);
    pixel += 4;
  }
  for (; pixel + 2 <= t.pixels; pixel += 2) AllChannels<2, kRun, kStep>(t, pixel);
  if (pixel < t.pixels) AllChannels<1, kRun, kStep>(t, pixel);
}

void RunDepthwise(const DepthwiseArgs& t) {
  const bool step_1 = t.pixel_stride == t.tap_stride;
  const bool step_2 = t.pixel_stride == 2 * t.tap_stride;
  if (t.run == 3 && step_1) return AllPixels<3, 1>(t);
  if (t.run == 3 && step_2) return AllPixels<3, 2>(t);
  if (t.run == 5 && step_1) return AllPixels<5, 1>(t);
  if (t.run == 5 && step_2) return AllPixels<5, 2>(t);
  AllPixels<1, 1>(t);
}

}  // namespace
}  // namespace ferry::kernels
