#include "device-runtime/kernels/simd/neon.h"

#include "device-runtime/kernels/reduce/vector.h"

namespace ferry::kernels {

const ReduceKernels kReduceNeon = kReduce;

}  // namespace ferry::kernels
