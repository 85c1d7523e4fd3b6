#include "device-runtime/kernels/reduce/reduce.h"

#include <algorithm>
#include <cmath>

#include "device-runtime/kernels/parallel.h"
#include "device-runtime/kernels/reduce/kernels.h"

namespace ferry::kernels {
namespace {

constexpr int64_t kColumnBlock = 64;  // columns of one piece: 4 cache lines of every row

const ReduceFunctions& FunctionsOf(const ReduceKernels& kernels, ReduceOp op) {
  switch (op) {
    case ReduceOp::kSum:
    case ReduceOp::kMean:
      return kernels.sum;
    case ReduceOp::kMax:
      return kernels.max;
    case ReduceOp::kMin:
      return kernels.min;
    case ReduceOp::kProd:
      return kernels.prod;
    case ReduceOp::kSumSquare:
    case ReduceOp::kL2:
      return kernels.sum_square;
    case ReduceOp::kL1:
      return kernels.sum_abs;
  }
  return kernels.sum;
}

void Finish(ReduceOp op, int64_t size, int64_t count, float* y) {
  if (op == ReduceOp::kMean) {
    for (int64_t i = 0; i < count; ++i) y[i] /= static_cast<float>(size);
  } else if (op == ReduceOp::kL2) {
    for (int64_t i = 0; i < count; ++i) y[i] = std::sqrt(y[i]);
  }
}

}  // namespace

void Reduce(const KernelTable& table, sys::Parallel& parallel, ReduceOp op, int64_t outer,
            int64_t size, int64_t inner, const float* x, float* y) {
  if (inner == 0) return;
  const ReduceFunctions& f = FunctionsOf(*table.reduce, op);
  if (inner == 1) {
    ForPieces(parallel, outer, size / 8 + 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) y[i] = f.row(size, x + i * size);
      Finish(op, size, end - begin, y + begin);
    });
    return;
  }
  const int64_t blocks = (inner + kColumnBlock - 1) / kColumnBlock;
  const int64_t steps = size * std::min(inner, kColumnBlock) / 8 + 1;
  ForPieces(parallel, outer * blocks, steps, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t o = i / blocks;
      const int64_t column = i % blocks * kColumnBlock;
      const int64_t count = std::min(kColumnBlock, inner - column);
      float* to = y + o * inner + column;
      f.columns(size, inner, count, x + o * size * inner + column, to);
      Finish(op, size, count, to);
    }
  });
}

}  // namespace ferry::kernels
