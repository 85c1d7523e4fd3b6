#include "device-runtime/kernels/simd/neon.h"

#include "device-runtime/kernels/attention/vector.h"

namespace ferry::kernels {

const AttentionKernels kAttentionNeon = {AttendRows, Weigh, ScaleRow};

}  // namespace ferry::kernels
