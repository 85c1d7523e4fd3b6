#include "device-runtime/kernels/simd/neon.h"

#include "device-runtime/kernels/attention/vector.h"

namespace ferry::kernels {

const AttentionKernels kAttentionNeon = {AttendHeads, Weigh, ScaleRow};

}  // namespace ferry::kernels
