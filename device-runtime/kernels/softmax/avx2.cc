#include "device-runtime/kernels/simd/avx2.h"

#include "device-runtime/kernels/softmax/vector.h"

namespace ferry::kernels {

const SoftmaxKernels kSoftmaxAvx2 = {SoftmaxRow, SoftmaxColumns};

}  // namespace ferry::kernels
