// The ways to compute a product of float32.
#pragma once

#include "device-runtime/kernels/bf16/bf16.h"
#include "device-runtime/kernels/split/split.h"

namespace ferry::kernels {

// A way to compute a product of float32, as functions of gemm.h.
struct ProductFunctions {
  size_t (*packed_size)(const KernelTable& table, int64_t k, int64_t n);
  void (*pack)(const KernelTable& table, int64_t k, int64_t n, const MatrixView& b, float* packed,
               const Tiles& tiles);
  size_t (*workspace_size)(const GemmShape& shape, int64_t a_column_stride);
  void (*run)(const KernelTable& table, sys::Parallel& parallel, const GemmShape& shape,
              const MatrixView& a, const float* packed_b, const Epilogue& epilogue, float* c,
              int64_t c_stride, float* workspace, const Tiles& tiles);
};
inline constexpr ProductFunctions kFloatProduct = {PackedBSize, PackB, GemmWorkspaceSize, Gemm};
inline constexpr ProductFunctions kBf16Product = {Bf16PackedSize, Bf16Pack, Bf16WorkspaceSize,
                                                  Bf16Gemm};
inline constexpr ProductFunctions kSplitProduct = {SplitPackedSize, SplitPack, SplitWorkspaceSize,
                                                   SplitGemm};

}  // namespace ferry::kernels
