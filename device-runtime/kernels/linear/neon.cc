#include "device-runtime/kernels/simd/neon.h"

#include "device-runtime/kernels/linear/vector.h"

namespace ferry::kernels {

// Up to 24 sums, a register for each row of weights and one of x fit in 32.
#define FERRY_STRIPS(T)                                                                      \
  {                                                                                          \
    nullptr, Strip<T, 8, 1>, Strip<T, 8, 2>, Strip<T, 8, 3>, Strip<T, 4, 4>, Strip<T, 4, 5>, \
        Strip<T, 4, 6>, Strip<T, 3, 7>, Strip<T, 3, 8>                                       \
  }
const LinearKernels kLinearNeon = {8, FERRY_STRIPS(float), FERRY_STRIPS(uint16_t),
                                   FERRY_STRIPS(int8_t), FERRY_STRIPS(Half)};
#undef FERRY_STRIPS

}  // namespace ferry::kernels
