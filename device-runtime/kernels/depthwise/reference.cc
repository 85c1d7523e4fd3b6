#include "device-runtime/kernels/depthwise/kernels.h"

namespace ferry::kernels {
namespace {

void RunDepthwise(const DepthwiseArgs& t) {
  for (int64_t p = 0; p < t.pixels; ++p) {
    for (int64_t c = 0; c < t.channels; ++c) {
      float x = 0.0f;
      for (int64_t tap = 0; tap < t.rows * t.run; ++tap) {
        const int64_t row = tap / t.run;
        x += t.in[row * t.columns + p * t.step + tap % t.run][c] * t.weight[tap][c];
      }
      if (t.bias != nullptr) x += t.bias[c];
      if (t.add != nullptr) x += t.add[p * t.out_stride + c];
      x = x < t.low ? t.low : x;
      t.out[p * t.out_stride + c] = x > t.high ? t.high : x;
    }
  }
}

}  // namespace

const DepthwiseKernels kDepthwiseReference = {RunDepthwise};

}  // namespace ferry::kernels
