// What a softmax file of one instruction set provides.
#pragma once

#include <cstdint>

namespace ferry::kernels {

struct SoftmaxKernels {
  // Over `size` (>= 1) dense floats; y may be x.
  void (*row)(int64_t size, bool logarithm, const float* x, float* y);
  // `columns` softmaxes side by side: element i of column c is x[i * stride + c].
  void (*columns)(int64_t size, int64_t stride, int64_t columns, bool logarithm, const float* x,
                  float* y);
};

#define FERRY_SOFTMAX(isa) extern const SoftmaxKernels kSoftmax##isa;
#include "device-runtime/kernels/softmax/list.inc"
#undef FERRY_SOFTMAX

}  // namespace ferry::kernels
