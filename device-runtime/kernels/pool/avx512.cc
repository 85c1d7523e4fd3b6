#include "device-runtime/kernels/simd/avx512.h"

#include "device-runtime/kernels/pool/vector.h"

namespace ferry::kernels {

const PoolKernels kPoolAvx512 = {MaxOf, SumOf};

}  // namespace ferry::kernels
