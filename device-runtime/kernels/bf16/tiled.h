// Products of bfloat16 over tile registers (tiled/kernels.h says how they are summed).
#pragma once

#include "device-runtime/kernels/gemm/gemm.h"
#include "device-runtime/kernels/tiled/product.h"

namespace ferry::kernels {

// C of rows of pairs, side by side, and panels of Bf16Pack; the rest as Bf16Gemm.
void RunBf16Tiled(const KernelTable& table, sys::Parallel& parallel, const GemmShape& shape,
                  const float* pairs, const float* packed_b, const Epilogue& epilogue, float* c,
                  int64_t c_stride);

}  // namespace ferry::kernels
