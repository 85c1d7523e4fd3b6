// What a depthwise file of one instruction set provides: a run of output pixels of one row.
#pragma once

#include <cstdint>

namespace ferry::kernels {

// out[p][c] = clip(bias[c] + add[p][c] + sum over taps of in[tap][p * pixel_stride + c] *
// weight[tap][c]) for p < pixels, c < channels; pixels of out and add are out_stride
// floats apart. The sum
// starts at 0 and runs over taps in order.
struct DepthwiseArgs {
  int64_t taps;
  const float* const* in;
  const float* const* weight;
  // Taps come in runs of `run` (divides taps) that lie tap_stride floats apart in the input: a
  // kernel row. run = 1 promises nothing.
  int64_t run;
  int64_t tap_stride;
  int64_t pixel_stride;
  int64_t pixels;
  int64_t channels;
  int64_t out_stride;
  const float* bias;  // or null
  const float* add;   // or null
  float low;
  float high;
  float* out;
};

struct DepthwiseKernels {
  void (*run)(const DepthwiseArgs&);
};

#define FERRY_DEPTHWISE(isa) extern const DepthwiseKernels kDepthwise##isa;
#include "device-runtime/kernels/depthwise/list.inc"
#undef FERRY_DEPTHWISE

}  // namespace ferry::kernels
