// The convolution algorithms behind conv.h, one file each. Each packs, names its workspace and
// runs; conv.cc dispatches. Arguments as in conv.h.
#pragma once

#include "device-runtime/kernels/conv/conv.h"

namespace ferry::kernels {

struct ConvRun {
  const KernelTable& table;
  sys::Parallel& parallel;
  const ConvShape& shape;
  const float* input;
  const float* packed;
  const Epilogue& epilogue;
  float* output;
  float* workspace;
};

// Weights as one packed B per group, rows in the order (kernel row, kernel column, channel); shared
// by pointwise and indirect.
size_t PackedProductSize(const KernelTable& table, const ConvShape& shape);
void PackProduct(const KernelTable& table, const ConvShape& shape, const float* weights,
                 float* packed);
void RunPointwise(const ConvRun& run);
size_t IndirectWorkspaceSize(const ConvShape& shape);
void RunIndirect(const ConvRun& run);

inline constexpr int64_t kMaxDepthwiseTaps = 256;  // pointers of one row live on the stack
size_t PackedDepthwiseSize(const ConvShape& shape);
void PackDepthwise(const ConvShape& shape, const float* weights, float* packed);
void RunDepthwise(const ConvRun& run);

size_t PackedWinogradSize(const KernelTable& table, const ConvShape& shape);
void PackWinograd(const KernelTable& table, const ConvShape& shape, const float* weights,
                  float* packed);
size_t WinogradWorkspaceSize(const ConvShape& shape);
void RunWinograd(const ConvRun& run);

}  // namespace ferry::kernels
