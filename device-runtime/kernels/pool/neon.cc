#include "device-runtime/kernels/simd/neon.h"

#include "device-runtime/kernels/pool/vector.h"

namespace ferry::kernels {

const PoolKernels kPoolNeon = {MaxOf, SumOf};

}  // namespace ferry::kernels
