#include "device-runtime/kernels/softmax/softmax.h"

#include <algorithm>

#include "device-runtime/kernels/parallel.h"
#include "device-runtime/kernels/softmax/kernels.h"

namespace ferry::kernels {
namespace {

constexpr int64_t kColumnBlock = 64;  // columns of one piece: 4 cache lines of every row

}  // namespace

void Softmax(const KernelTable& table, sys::Parallel& parallel, int64_t outer, int64_t size,
             int64_t inner, bool logarithm, const float* x, float* y) {
  if (size == 0 || inner == 0) return;
  const SoftmaxKernels& kernels = *table.softmax;
  if (inner == 1) {
    ForPieces(parallel, outer, size * 2, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        kernels.row(size, logarithm, x + i * size, y + i * size);
      }
    });
    return;
  }
  const int64_t blocks = (inner + kColumnBlock - 1) / kColumnBlock;
  const int64_t steps = size * std::min(inner, kColumnBlock) * 2;
  ForPieces(parallel, outer * blocks, steps, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t column = i % blocks * kColumnBlock;
      const int64_t offset = i / blocks * size * inner + column;
      kernels.columns(size, inner, std::min(kColumnBlock, inner - column), logarithm, x + offset,
                      y + offset);
    }
  });
}

}  // namespace ferry::kernels
