// Matrix products of bfloat16 with float32 sums: C = activation(bf16(A) * bf16(B) + bias + add), A,
// B and C float32 in memory. The products of two bfloat16 are exact in float32; they are summed two
// by two (kernels.h), in an order that the shape fixes. Twice as many products an instruction as
// float32 where the processor has them (AVX-512-BF16): the blocks are gemm's, over pairs in place
// of floats. Where it has tile registers they take these, whatever tiles are named (tiled.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/sys/executor.h"
#include "device-runtime/kernels/gemm/gemm.h"

namespace ferry::kernels {

// Bound of what rounding one operand adds to a product, as max|a - b| / max|b| on numbers of one
// magnitude. An operand that holds bfloat16 numbers already adds nothing (denormals apart, which
// count as 0: an error of at most 1.2e-38 times the other factor).
inline constexpr double kBf16Error = 0x1p-8;

// Whether the table's processor has products of bfloat16; all tables compute them.
bool HasBf16(const KernelTable& table);
// The table with the tiles of these products in place of gemm's, for tiles.h and costs.
KernelTable Bf16Table(const KernelTable& table);
// Pairs of a row of k numbers: a step of the product's depth.
constexpr int64_t Bf16Pairs(int64_t k) {
  return (k + 1) / 2;
}
// Whether every number is a bfloat16, so that rounding changes nothing. Stops at the first other.
bool IsBf16(const float* numbers, int64_t count);

// As PackedBSize, PackB, GemmWorkspaceSize and Gemm; sizes in floats.
size_t Bf16PackedSize(const KernelTable& table, int64_t k, int64_t n);
void Bf16Pack(const KernelTable& table, int64_t k, int64_t n, const MatrixView& b, float* packed,
              const Tiles& tiles = {});
size_t Bf16WorkspaceSize(const GemmShape& shape, int64_t a_column_stride);
void Bf16Gemm(const KernelTable& table, sys::Parallel& parallel, const GemmShape& shape,
              const MatrixView& a, const float* packed_b, const Epilogue& epilogue, float* c,
              int64_t c_stride, float* workspace, const Tiles& tiles = {});

}  // namespace ferry::kernels
