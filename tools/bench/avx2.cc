#include "device-runtime/kernels/simd/avx2.h"

#include "tools/bench/peak_loop.h"

namespace ferry::bench {

float PeakAvx2(double* flops) {
  return kernels::PeakLoop(flops);
}

}  // namespace ferry::bench
