#include "device-runtime/kernels/simd/neon.h"

#include "device-runtime/kernels/elementwise/vector.h"

namespace ferry::kernels {

const ElementwiseKernels kElementwiseNeon = kElementwise;

}  // namespace ferry::kernels
