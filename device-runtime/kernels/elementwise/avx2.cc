#include "device-runtime/kernels/simd/avx2.h"

#include "device-runtime/kernels/elementwise/vector.h"

namespace ferry::kernels {

const ElementwiseKernels kElementwiseAvx2 = kElementwise;

}  // namespace ferry::kernels
