#include "device-runtime/kernels/simd/avx512.h"

#include "device-runtime/kernels/attention/vector.h"

namespace ferry::kernels {

const AttentionKernels kAttentionAvx512 = {AttendHeads, Weigh, ScaleRow};

}  // namespace ferry::kernels
