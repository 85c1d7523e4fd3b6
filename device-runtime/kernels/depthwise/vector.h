// The depthwise run over one register type. Included by avx2.cc and avx512.cc after their simd
// header, never elsewhere.
#pragma once

#include "device-runtime/kernels/depthwise/kernels.h"

namespace ferry::kernels {
namespace {

// Adds all taps to the sums of kPixels pixels: neighbouring pixels share the loads of the input and
// of the weights. The order of each sum is that of the taps.
template <int kPixels, bool kPart, int kRun, int kStep>
inline void AddTaps(const DepthwiseArgs& t, int64_t pixel, int64_t c, int64_t count,
                    Vec (&sum)[kPixels]) {
  const auto load = [count](const float* p) { return kPart ? LoadPart(p, count) : Load(p); };
  const float* const* in = t.in + pixel * kStep;
  const float* const* weights = t.weight;
  for (int64_t row = 0; row < t.rows; ++row, in += t.columns, weights += kRun) {
    Vec weight[kRun];
    FERRY_UNROLL
    for (int k = 0; k < kRun; ++k) weight[k] = load(weights[k] + c);
    FERRY_UNROLL
    for (int j = 0; j < (kPixels - 1) * kStep + kRun; ++j) {
      const Vec x = Kept(load(in[j] + c));
      FERRY_UNROLL
      for (int p = 0; p < kPixels; ++p) {
        const int k = j - p * kStep;
        if (k >= 0 && k < kRun) sum[p] = Fma(x, weight[k], sum[p]);
      }
    }
  }
}

// The same for kernels and strides of any size: a load of the input for each product.
template <int kPixels, bool kPart>
inline void AddAnyTaps(const DepthwiseArgs& t, int64_t pixel, int64_t c, int64_t count,
                       Vec (&sum)[kPixels]) {
  const auto load = [count](const float* p) { return kPart ? LoadPart(p, count) : Load(p); };
  const float* const* weights = t.weight;
  for (int64_t row = 0; row < t.rows; ++row) {
    const float* const* in = t.in + row * t.columns + pixel * t.step;
    for (int64_t k = 0; k < t.run; ++k, ++in, ++weights) {
      const Vec weight = load(*weights + c);
      FERRY_UNROLL
      for (int p = 0; p < kPixels; ++p) sum[p] = Fma(load(in[p * t.step] + c), weight, sum[p]);
    }
  }
}

template <int kPixels, bool kPart, int kRun, int kStep>
void PixelBlock(const DepthwiseArgs& t, int64_t pixel, int64_t c, int64_t count) {
  const auto load = [count](const float* p) { return kPart ? LoadPart(p, count) : Load(p); };
  Vec sum[kPixels];
  FERRY_UNROLL
  for (int p = 0; p < kPixels; ++p) sum[p] = Zero();
  if constexpr (kRun == 0) {
    AddAnyTaps<kPixels, kPart>(t, pixel, c, count, sum);
  } else {
    AddTaps<kPixels, kPart, kRun, kStep>(t, pixel, c, count, sum);
  }
  // Copies: a store to the output might change what `t` says, for all that the compiler knows.
  const Vec bias = t.bias == nullptr ? Zero() : load(t.bias + c);
  const Vec low = Set(t.low);
  const Vec high = Set(t.high);
  const int64_t stride = t.out_stride;
  const int64_t at = pixel * stride + c;
  FERRY_UNROLL
  for (int p = 0; p < kPixels; ++p) sum[p] = Add(sum[p], bias);
  if (t.add != nullptr) {
    FERRY_UNROLL
    for (int p = 0; p < kPixels; ++p) sum[p] = Add(sum[p], load(t.add + at + p * stride));
  }
  float* out = t.out + at;
  FERRY_UNROLL
  for (int p = 0; p < kPixels; ++p) {
    const Vec x = Min(high, Max(low, sum[p]));
    if (kPart) {
      StorePart(out + p * stride, x, count);
    } else {
      Store(out + p * stride, x);
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
  if (t.pixels % 7 == 0) {  // 7, 14, 28, 56, 112: the sizes of many networks
    for (; pixel < t.pixels; pixel += 7) AllChannels<7, kRun, kStep>(t, pixel);
    return;
  }
  for (; pixel + 8 <= t.pixels; pixel += 8) AllChannels<8, kRun, kStep>(t, pixel);
  if (pixel + 4 <= t.pixels) {
    AllChannels<4, kRun, kStep>(t, pixel);
    pixel += 4;
  }
  if (pixel + 2 <= t.pixels) {
    AllChannels<2, kRun, kStep>(t, pixel);
    pixel += 2;
  }
  if (pixel < t.pixels) AllChannels<1, kRun, kStep>(t, pixel);
}

void RunDepthwise(const DepthwiseArgs& t) {
  if (t.run == 3 && t.step == 1) return AllPixels<3, 1>(t);
  if (t.run == 3 && t.step == 2) return AllPixels<3, 2>(t);
  if (t.run == 5 && t.step == 1) return AllPixels<5, 1>(t);
  if (t.run == 5 && t.step == 2) return AllPixels<5, 2>(t);
  if (t.run == 7 && t.step == 1) return AllPixels<7, 1>(t);
  AllPixels<0, 0>(t);
}

}  // namespace
}  // namespace ferry::kernels
