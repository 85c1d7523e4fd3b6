// What a depthwise file of one instruction set provides: a run of output pixels of one row.
#pragma once

#include <cstdint>

namespace ferry::kernels {

// For p < pixels and c < channels
//   out[p][c] = clip(bias[c] + add[p][c] +
//                    sum of in[r * columns + p * step + k][c] * weight[r * run + k][c])
// over rows r and k < run. Pixels of out and add are out_stride floats apart. The sum starts at 0
// and runs over rows, then k.
// A row is a row of the kernel; its columns are those of the input that the pixels' windows touch,
// zeros where the input is padded.
struct DepthwiseArgs {
  int64_t rows;
  int64_t run;
  int64_t step;
  int64_t columns;
  const float* const* in;
  const float* const* weight;
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
