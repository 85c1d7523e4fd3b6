// What a rowwise file of one instruction set provides; the functions are those of rowwise.h.
#pragma once

#include <cstdint>

namespace ferry::kernels {

struct RowwiseKernels {
  void (*rms_norm)(const float* x, const float* weight, float eps, int64_t count, float* out);
  // a and b are the halves of one head, `half` values each.
  void (*rotate)(const float* cos, const float* sin, int64_t half, float* a, float* b);
  void (*silu_times)(const float* gate, const float* up, int64_t count, float* out);
  // One row of norm.h.
  void (*norm)(const float* x, const float* scale, const float* bias, float epsilon, bool centered,
               int64_t count, float* out);
};

#define FERRY_ROWWISE(isa) extern const RowwiseKernels kRowwise##isa;
#include "device-runtime/kernels/rowwise/list.inc"
#undef FERRY_ROWWISE

}  // namespace ferry::kernels
