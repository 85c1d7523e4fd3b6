// Products of float32 rows with a matrix in 8 or 4 bits: C = activation(A * B + bias + add), where
// B's element is (q - zero) * scale. Panels of B are widened a stretch of rows at a time into the
// first-level cache, right before the tiles read them: memory holds bytes only, and few rows of A
// cost what reading those bytes does. The bits are those of Gemm with the widened matrix.
#pragma once

#include "device-runtime/kernels/gemm/gemm.h"

namespace ferry::kernels {

// B as a model stores it, k x n, one element a byte (of 4 bits too). Borrowed.
struct StoredMatrix {
  const uint8_t* data = nullptr;
  int64_t row_stride = 0, column_stride = 1;
  bool is_signed = false;
  bool is_half = false;  // elements of 4 bits: two to a byte when packed, where blocks allow it
  int64_t blocks = 1;    // of k / blocks rows, which share a scale; k is a multiple
  const float* scale = nullptr;  // [blocks][n]
  const float* zero = nullptr;   // [blocks][n], whole; or null
};

// Bytes of the packed form, a multiple of 4.
size_t StoredSize(const KernelTable& table, int64_t k, int64_t n, const StoredMatrix& b);
void PackStored(const KernelTable& table, int64_t k, int64_t n, const StoredMatrix& b,
                uint8_t* packed);
// Of `b` only what says its form is read (is_half, blocks). A's columns are contiguous; the rest as
// Gemm's.
void GemmStored(const KernelTable& table, sys::Parallel& parallel, const GemmShape& shape,
                const StoredMatrix& b, const float* a, int64_t a_stride, const uint8_t* packed,
                const Epilogue& epilogue, float* c, int64_t c_stride);

}  // namespace ferry::kernels
