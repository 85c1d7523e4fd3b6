#include "device-runtime/kernels/reduce/reduce.h"

#include <algorithm>
#include <cmath>

#include "device-runtime/kernels/parallel.h"
#include "device-runtime/kernels/reduce/kernels.h"

namespace ferry::kernels {
namespace {

constexpr int64_t kColumnBlock = 64;  // columns of one piece: 4 cache lines of every row
// Many rows are reduced in parts, so that a thread reads those that it wrote: their number depends
// on the size alone. What parts come to lies on the stack.
constexpr int64_t kLeastRows = 32;
constexpr int64_t kManyRows = 2048;
constexpr int64_t kMostParts = 8;
constexpr int64_t kSlab = 512;  // columns
constexpr int64_t kFewOuter = 4;

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

// What joins results of parts.
ReduceOp JoinOf(ReduceOp op) {
  const bool is_itself = op == ReduceOp::kMax || op == ReduceOp::kMin || op == ReduceOp::kProd;
  return is_itself ? op : ReduceOp::kSum;
}

void Finish(ReduceOp op, int64_t size, int64_t count, float* y) {
  if (op == ReduceOp::kMean) {
    for (int64_t i = 0; i < count; ++i) y[i] /= static_cast<float>(size);
  } else if (op == ReduceOp::kL2) {
    for (int64_t i = 0; i < count; ++i) y[i] = std::sqrt(y[i]);
  }
}

// One [size, inner]: threads take rows.
void ReduceRows(const ReduceKernels& kernels, sys::Parallel& parallel, ReduceOp op, int64_t size,
                int64_t inner, const float* x, float* y) {
  const int64_t parts = size >= kManyRows ? kMostParts : kMostParts / 2;
  alignas(64) float joined[kMostParts * kSlab];
  for (int64_t slab = 0; slab < inner; slab += kSlab) {
    const int64_t count = std::min(kSlab, inner - slab);
    // Twice what it takes: data that stays where it is helps the next step too.
    const int64_t steps = size * count / parts / 4 + 1;
    ForPieces(parallel, parts, steps, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t first = size * i / parts;
        FunctionsOf(kernels, op)
            .columns(size * (i + 1) / parts - first, inner, count, x + first * inner + slab,
                     joined + i * kSlab);
      }
    });
    FunctionsOf(kernels, JoinOf(op)).columns(parts, kSlab, count, joined, y + slab);
  }
  Finish(op, size, inner, y);
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
  if (size >= kLeastRows) {
    const auto reduce = [&](sys::Parallel& by, int64_t o) {
      ReduceRows(*table.reduce, by, op, size, inner, x + o * size * inner, y + o * inner);
    };
    if (outer < kFewOuter) {
      for (int64_t o = 0; o < outer; ++o) reduce(parallel, o);
      return;
    }
    ForPieces(parallel, outer, size * inner / 8 + 1, [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) reduce(sys::SerialParallel(), o);
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
