// Matrix products of float32: C = activation(A * B + bias + add). Blocked for cache after Goto and
// van de Geijn, "Anatomy of High-Performance Matrix Multiplication" (2008), but A is read in place:
// only B is packed. Every element of C is summed over k in ascending order by fused multiply-adds,
// whatever the split over threads or blocks, so bits depend on the instruction set alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/sys/executor.h"
#include "device-runtime/kernels/epilogue.h"
#include "device-runtime/kernels/gemm/tiles.h"
#include "device-runtime/kernels/table.h"

namespace ferry::kernels {

struct GemmShape {
  int64_t m = 0;  // rows of A and C
  int64_t n = 0;  // columns of B and C
  int64_t k = 0;  // columns of A, rows of B
};

// Element (row, column) lies at data[row * row_stride + column * column_stride]; strides in floats.
struct MatrixView {
  const float* data = nullptr;
  int64_t row_stride = 0;
  int64_t column_stride = 1;
};

// Floats of a packed B of k rows and n columns; its layout belongs to the table it was packed for.
size_t PackedBSize(const KernelTable& table, int64_t k, int64_t n);
// Packs B (k x n) into `packed`: panels of columns, zero-filled at the right edge. Constant weights
// are packed once, when a model is prepared. Gemm takes the same tiles.
void PackB(const KernelTable& table, int64_t k, int64_t n, const MatrixView& b, float* packed,
           const Tiles& tiles = {});

// One panel of a packed B from rows that hold its columns: packed[i * padded + j] = from[j * stride
// + i] for i < k, j < count; zeros for j in [count, padded).
void PackTransposed(int64_t k, int64_t count, const float* from, int64_t stride, int64_t padded,
                    float* packed);

// Floats of workspace that Gemm needs: none when A's rows are contiguous, else a copy of A.
size_t GemmWorkspaceSize(const GemmShape& shape, int64_t a_column_stride);

// A with the numbers of a row side by side: as it is, or a copy in `workspace`.
MatrixView DenseA(sys::Parallel& parallel, const GemmShape& shape, const MatrixView& a,
                  float* workspace);

// C has rows `c_stride` floats apart and overlaps neither A nor B; epilogue.add has C's layout. All
// sizes may be 0: with k = 0 the product is 0.
void Gemm(const KernelTable& table, sys::Parallel& parallel, const GemmShape& shape,
          const MatrixView& a, const float* packed_b, const Epilogue& epilogue, float* c,
          int64_t c_stride, float* workspace, const Tiles& tiles = {});

}  // namespace ferry::kernels
