#include "device-runtime/kernels/parallel.h"
#include "device-runtime/kernels/quant/kernels.h"
#include "device-runtime/kernels/quant/quant.h"

namespace ferry::kernels {

void MapBytes(const KernelTable& table, sys::Parallel& parallel, int64_t count,
              const uint8_t* entries, const uint8_t* x, uint8_t* y) {
  constexpr int64_t kPiece = 1024;
  ForPieces(parallel, (count + kPiece - 1) / kPiece, kPiece / 4, [&](int64_t begin, int64_t end) {
    const int64_t last = end * kPiece < count ? end * kPiece : count;
    const int64_t first = begin * kPiece;
    table.quant->lookup(last - first, entries, x + first, y + first);
  });
}

}  // namespace ferry::kernels
