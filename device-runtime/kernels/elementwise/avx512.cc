#include "device-runtime/kernels/simd/avx512.h"

#include "device-runtime/kernels/elementwise/vector.h"

namespace ferry::kernels {

const ElementwiseKernels kElementwiseAvx512 = kElementwise;

}  // namespace ferry::kernels
