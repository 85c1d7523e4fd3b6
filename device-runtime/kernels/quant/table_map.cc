#include "device-runtime/kernels/parallel.h"
#include "device-runtime/kernels/quant/quant.h"

namespace ferry::kernels {

void MapBytes(sys::Parallel& parallel, int64_t count, const uint8_t* table, const uint8_t* x,
              uint8_t* y) {
  constexpr int64_t kPiece = 1024;
  ForPieces(parallel, (count + kPiece - 1) / kPiece, kPiece, [&](int64_t begin, int64_t end) {
    const int64_t last = end * kPiece < count ? end * kPiece : count;
    int64_t i = begin * kPiece;
    for (; i + 8 <= last; i += 8) {
      uint64_t from;
      uint64_t to = 0;
      __builtin_memcpy(&from, x + i, 8);
      for (int b = 0; b < 64; b += 8) to |= uint64_t{table[from >> b & 0xff]} << b;
      __builtin_memcpy(y + i, &to, 8);
    }
    for (; i < last; ++i) y[i] = table[x[i]];
  });
}

}  // namespace ferry::kernels
