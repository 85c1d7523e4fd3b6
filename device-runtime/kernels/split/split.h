// Matrix products of float32 over tile registers: each number is two bfloat16, 16 bits of its 24,
// and a product three of theirs (tiled/kernels.h; Henry, Tang, Heinecke, "Leveraging the bfloat16
// Artificial Intelligence Datatype For Higher-Precision Computations", 2019). Where such registers
// are, three products take a fourth of the time of one fused multiply-add of float32. Sums are
// float32 as elsewhere; denormal numbers count as 0, infinite ones are what they are, slowly.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device-runtime/kernels/gemm/gemm.h"
#include "device-runtime/kernels/tiled/product.h"

namespace ferry::kernels {

// Bound of what splitting adds, as max|a - b| / max|b| on numbers of one magnitude: what is left of
// either number, 2^-18 of it, and the product of the second parts, 2^-18 too.
inline constexpr double kSplitError = 0x1p-16;

// As PackedBSize, PackB, GemmWorkspaceSize and Gemm; sizes in floats. Tiles mean nothing here.
size_t SplitPackedSize(const KernelTable& table, int64_t k, int64_t n);
void SplitPack(const KernelTable& table, int64_t k, int64_t n, const MatrixView& b, float* packed,
               const Tiles& tiles = {});
// Whether B has infinite numbers.
bool SplitIsInfinite(const KernelTable& table, int64_t k, int64_t n, const float* packed);
size_t SplitWorkspaceSize(const GemmShape& shape, int64_t a_column_stride);
void SplitGemm(const KernelTable& table, sys::Parallel& parallel, const GemmShape& shape,
               const MatrixView& a, const float* packed_b, const Epilogue& epilogue, float* c,
               int64_t c_stride, float* workspace, const Tiles& tiles = {});

// A product whose rows are runs of `depth` floats behind pointers; B is SplitPack of taps * depth
// rows. `c` and the epilogue as Gemm's.
struct SplitProduct {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t taps = 1;
  int64_t depth = 0;
  const ByteRows* source = nullptr;
  const float* packed_b = nullptr;
  float* c = nullptr;
  int64_t c_stride = 0;
  const Epilogue* epilogue = nullptr;
};
void RunSplitProduct(const KernelTable& table, sys::Parallel& parallel, const SplitProduct& p);

}  // namespace ferry::kernels
