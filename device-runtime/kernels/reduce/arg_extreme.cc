#include "device-runtime/kernels/parallel.h"
#include "device-runtime/kernels/reduce/reduce.h"

namespace ferry::kernels {

void ArgExtreme(sys::Parallel& parallel, bool largest, int64_t outer, int64_t size, int64_t inner,
                const float* x, int64_t* y) {
  if (inner == 0) return;
  ForPieces(parallel, outer * inner, size, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const float* from = x + i / inner * size * inner + i % inner;
      int64_t best = 0;
      for (int64_t k = 1; k < size; ++k) {
        const float value = from[k * inner];
        const float present = from[best * inner];
        if (largest ? value > present : value < present) best = k;
      }
      y[i] = best;
    }
  });
}

}  // namespace ferry::kernels
