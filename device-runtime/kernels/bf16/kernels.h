// What a bf16 file of one instruction set provides.
#pragma once

#include <cstdint>

#include "device-runtime/kernels/gemm/kernels.h"

namespace ferry::kernels {

struct Bf16Kernels {
  bool is_native;  // the processor has products of bfloat16: worth choosing
  // gemm's tiles, whose "floats" of A and B are pairs of bfloat16, the first in the lower half:
  //   sum = fma(a[2k + 1], b[2k + 1], sum), then sum = fma(a[2k], b[2k], sum)
  // in float32, denormal operands and results taken as 0.
  GemmKernels gemm;
  // y = the nearest bfloat16 of x, halves to even; denormals become 0, NaN a quiet NaN.
  void (*round)(const float* x, int64_t count, uint16_t* y);
};

#define FERRY_BF16(isa) extern const Bf16Kernels kBf16##isa;
#include "device-runtime/kernels/bf16/list.inc"
#undef FERRY_BF16

}  // namespace ferry::kernels
