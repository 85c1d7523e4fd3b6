#include "device-runtime/kernels/simd/avx2.h"

#include "device-runtime/kernels/depthwise/vector.h"

namespace ferry::kernels {

const DepthwiseKernels kDepthwiseAvx2 = {RunDepthwise};

}  // namespace ferry::kernels
