// What a linear file of one instruction set provides: products of a few rows of x with many rows of
// weights, straight from their stored form.
#pragma once

#include <cstdint>

namespace ferry::kernels {

inline constexpr int kMaxLinearRows = 8;

// Rows [0, rows) of weights, row-major, times some rows of x. Strides in floats.
struct LinearStrip {
  const void* w;
  int64_t rows;
  int64_t columns;
  const float* scales;  // one a row, or null
  bool cold;            // the weights come from memory, not from a core's own cache
  const float* x;
  int64_t x_stride;
  const float* add;  // like out, or null
  float* out;
  int64_t out_stride;
};

using LinearFunction = void (*)(const LinearStrip&);

struct LinearKernels {
  int max_rows;  // of x at a time, up to kMaxLinearRows
  // [rows of x]; index 0 unused.
  LinearFunction f32[kMaxLinearRows + 1];
  LinearFunction bf16[kMaxLinearRows + 1];
  LinearFunction i8[kMaxLinearRows + 1];
  LinearFunction f16[kMaxLinearRows + 1];
};

#define FERRY_LINEAR(isa) extern const LinearKernels kLinear##isa;
#include "device-runtime/kernels/linear/list.inc"
#undef FERRY_LINEAR

}  // namespace ferry::kernels
