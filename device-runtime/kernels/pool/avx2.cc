#include "device-runtime/kernels/simd/avx2.h"

#include "device-runtime/kernels/pool/vector.h"

namespace ferry::kernels {

const PoolKernels kPoolAvx2 = {MaxOf, SumOf};

}  // namespace ferry::kernels
