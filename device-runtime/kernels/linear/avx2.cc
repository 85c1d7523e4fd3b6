#include "device-runtime/kernels/simd/avx2.h"

#include "device-runtime/kernels/linear/vector.h"

namespace ferry::kernels {

// Up to 12 sums, a register for each row of weights and one of x fit in 16.
#define FERRY_STRIPS(T) \
  { nullptr, Strip<T, 6, 1>, Strip<T, 4, 2>, Strip<T, 4, 3>, Strip<T, 3, 4> }
const LinearKernels kLinearAvx2 = {4, FERRY_STRIPS(float), FERRY_STRIPS(uint16_t),
                                   FERRY_STRIPS(int8_t), FERRY_STRIPS(Half)};
#undef FERRY_STRIPS

}  // namespace ferry::kernels
