#include "device-runtime/kernels/simd/avx512.h"

#include "tools/bench/peak_loop.h"

namespace ferry::bench {

float PeakAvx512(double* flops) {
  return kernels::PeakLoop(flops);
}

}  // namespace ferry::bench
