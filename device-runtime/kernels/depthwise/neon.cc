#include "device-runtime/kernels/simd/neon.h"

#include "device-runtime/kernels/depthwise/vector.h"

namespace ferry::kernels {

const DepthwiseKernels kDepthwiseNeon = {RunDepthwise};

}  // namespace ferry::kernels
