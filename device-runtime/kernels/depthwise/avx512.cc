#include "device-runtime/kernels/simd/avx512.h"

#include "device-runtime/kernels/depthwise/vector.h"

namespace ferry::kernels {

const DepthwiseKernels kDepthwiseAvx512 = {RunDepthwise};

}  // namespace ferry::kernels
