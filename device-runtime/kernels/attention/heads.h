// Attention over whole tensors: y = softmax(scale * q k^T + biases) v of every head, over strided
// views, so that no operand is transposed first. Both products by the micro-kernels of gemm; scores
// of a few queries with a block of keys at a time, which never leave the cache (the online softmax
// of Dao et al., "FlashAttention", 2022).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/sys/executor.h"
#include "device-runtime/kernels/table.h"

namespace ferry::kernels {

inline constexpr int kMaxHeadAxes = 8;
inline constexpr int64_t kMaxHeadDepth = 256;

// Strides in floats of the axes of a batch (heads among them), of rows and of columns.
struct HeadsView {
  std::array<int64_t, kMaxHeadAxes> batch{};
  int64_t row = 0;
  int64_t column = 1;
};

struct HeadsShape {
  int rank = 0;  // of the batch
  std::array<int64_t, kMaxHeadAxes> size{};
  int64_t queries = 0, keys = 0;
  int64_t depth = 0;        // of queries and keys, at most kMaxHeadDepth
  int64_t value_depth = 0;  // of values and results
  float scale = 1;
  HeadsView q, k, v, y;             // y's column stride is 1
  std::array<HeadsView, 2> biases;  // [queries, keys]

  int64_t batch() const;
};

// Floats of workspace for a run on a Parallel of width `threads`: keys and values packed.
size_t AttendWorkspaceSize(const KernelTable& table, const HeadsShape& shape, int threads);

// Either bias may be null. y overlaps nothing else. Rows all of whose scores are minus infinity,
// and any when there are no keys, are NaN.
void Attend(const KernelTable& table, sys::Parallel& parallel, const HeadsShape& shape,
            const float* q, const float* k, const float* v,
            const std::array<const float*, 2>& biases, float* y, float* workspace);

}  // namespace ferry::kernels
