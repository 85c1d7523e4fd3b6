// What a reduce file of one instruction set provides.
#pragma once

#include <cstdint>

namespace ferry::kernels {

struct ReduceFunctions {
  // Over `size` dense floats.
  float (*row)(int64_t size, const float* x);
  // y[c] over x[i * stride + c], i < size, for c < columns.
  void (*columns)(int64_t size, int64_t stride, int64_t columns, const float* x, float* y);
};

struct ReduceKernels {
  ReduceFunctions sum, sum_square, sum_abs, prod, max, min;
};

#define FERRY_REDUCE(isa) extern const ReduceKernels kReduce##isa;
#include "device-runtime/kernels/reduce/list.inc"
#undef FERRY_REDUCE

}  // namespace ferry::kernels
