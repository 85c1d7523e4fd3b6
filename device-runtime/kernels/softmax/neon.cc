#include "device-runtime/kernels/simd/neon.h"

#include "device-runtime/kernels/softmax/vector.h"

namespace ferry::kernels {

const SoftmaxKernels kSoftmaxNeon = {SoftmaxRow, SoftmaxColumns};

}  // namespace ferry::kernels
