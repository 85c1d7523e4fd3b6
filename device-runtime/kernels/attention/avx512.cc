#include "device-runtime/kernels/simd/avx512.h"

#include "device-runtime/kernels/attention/vector.h"

namespace ferry::kernels {

const AttentionKernels kAttentionAvx512 = {AttendRows, Weigh, ScaleRow};

}  // namespace ferry::kernels
