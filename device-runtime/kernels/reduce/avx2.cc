#include "device-runtime/kernels/simd/avx2.h"

#include "device-runtime/kernels/reduce/vector.h"

namespace ferry::kernels {

const ReduceKernels kReduceAvx2 = kReduce;

}  // namespace ferry::kernels
