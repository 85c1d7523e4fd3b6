#include <algorithm>

#include "device-runtime/kernels/parallel.h"
#include "device-runtime/kernels/quant/kernels.h"
#include "device-runtime/kernels/quant/quant.h"

namespace ferry::kernels {

void QuantBinary(const KernelTable& table, sys::Parallel& parallel, const QuantBinaryShape& shape,
                 const uint8_t* a, const uint8_t* b, uint8_t* y) {
  const auto run = table.quant->binary[shape.multiplies];
  if (shape.repeat == 1) {  // both dense
    constexpr int64_t kPiece = 1024;
    const int64_t count = shape.outer * shape.inner;
    ForPieces(parallel, (count + kPiece - 1) / kPiece, kPiece / 2, [&](int64_t begin, int64_t end) {
      const int64_t first = begin * kPiece;
      const int64_t last = std::min(count, end * kPiece);
      run({&shape, a + first, b + first, last - first, y + first});
    });
    return;
  }
  const int64_t inner = shape.inner;
  const int64_t steps = inner / 2 + 8;
  ForPieces(parallel, shape.outer * shape.repeat, steps, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      run({&shape, a + i * inner, b + i / shape.repeat * inner, inner, y + i * inner});
    }
  });
}

}  // namespace ferry::kernels
