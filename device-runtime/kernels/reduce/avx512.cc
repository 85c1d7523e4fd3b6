#include "device-runtime/kernels/simd/avx512.h"

#include "device-runtime/kernels/reduce/vector.h"

namespace ferry::kernels {

const ReduceKernels kReduceAvx512 = kReduce;

}  // namespace ferry::kernels
