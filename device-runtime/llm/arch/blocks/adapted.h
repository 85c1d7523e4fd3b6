// What adapters add to the products of rows that have some (adapter/adapter.h).
#pragma once

#include "device-runtime/llm/arch/blocks/block.h"

namespace ferry::llm {

// Rows of a matrix of the model: `count` from `first` on.
struct MatrixPart {
  int32_t tensor = -1;  // Matrix::tensor; -1: of no adapter
  int64_t first = 0;
  int64_t count = 0;
};

// out += scale * B (A x) for each row that has adapters, those of one row in their order. Allocates
// nothing; a row's bits are those it would have alone.
void AddAdapters(const Rows& rows, const MatrixPart& part, const float* x, int64_t x_stride,
                 float* out, int64_t out_stride);
// The same by the transposed matrix: out += scale * A^T (B^T x). On the calling thread, of which
// there may be several with different parts.
void AddTransposedAdapters(const Rows& rows, const MatrixPart& part, const float* x,
                           int64_t x_stride, float* out, int64_t out_stride);

}  // namespace ferry::llm
