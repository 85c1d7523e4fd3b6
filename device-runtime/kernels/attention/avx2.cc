#include "device-runtime/kernels/simd/avx2.h"

#include "device-runtime/kernels/attention/vector.h"

namespace ferry::kernels {

const AttentionKernels kAttentionAvx2 = {AttendRows, Weigh, ScaleRow};

}  // namespace ferry::kernels
