// The kernels of one instruction set: a pointer per family. Source: own.
#pragma once

#include "device-runtime/kernels/isa.h"

namespace ferry::kernels {

struct AttentionKernels;
struct DepthwiseKernels;
struct ElementwiseKernels;
struct GemmKernels;
struct LinearKernels;
struct MapKernels;
struct PoolKernels;
struct ReduceKernels;
struct RowwiseKernels;
struct SoftmaxKernels;
struct WinogradKernels;

// Families without code of their own per instruction set (raster, gather) need no pointer here.
struct KernelTable {
  Isa isa;
  const AttentionKernels* attention;
  const DepthwiseKernels* depthwise;
  const ElementwiseKernels* elementwise;
  const GemmKernels* gemm;
  const LinearKernels* linear;
  const MapKernels* map;
  const PoolKernels* pool;
  const ReduceKernels* reduce;
  const RowwiseKernels* rowwise;
  const SoftmaxKernels* softmax;
  const WinogradKernels* winograd;
};

// The table of `isa`, which must run here (IsaRuns); static, read-only, any thread.
const KernelTable& TableOf(Isa isa);

}  // namespace ferry::kernels
