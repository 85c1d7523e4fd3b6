#include "device-runtime/kernels/simd/avx512.h"

#include "device-runtime/kernels/softmax/vector.h"

namespace ferry::kernels {

const SoftmaxKernels kSoftmaxAvx512 = {SoftmaxRow, SoftmaxColumns};

}  // namespace ferry::kernels
