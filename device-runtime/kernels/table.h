// The kernels of one instruction set: a pointer per family. Source: own.
#pragma once

#include "device-runtime/kernels/isa.h"

namespace ferry::kernels {

struct DepthwiseKernels;
struct ElementwiseKernels;
struct GemmKernels;
struct PoolKernels;
struct ReduceKernels;
struct SoftmaxKernels;
struct WinogradKernels;

// Families without code of their own per instruction set (raster, gather) need no pointer here.
struct KernelTable {
  Isa isa;
  const DepthwiseKernels* depthwise;
  const ElementwiseKernels* elementwise;
  const GemmKernels* gemm;
  const PoolKernels* pool;
  const ReduceKernels* reduce;
  const SoftmaxKernels* softmax;
  const WinogradKernels* winograd;
};

// The table of `isa`, which must run here (IsaRuns); static, read-only, any thread.
const KernelTable& TableOf(Isa isa);

}  // namespace ferry::kernels
