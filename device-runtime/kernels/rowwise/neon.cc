#include "device-runtime/kernels/simd/neon.h"

#include "device-runtime/kernels/rowwise/vector.h"

namespace ferry::kernels {

const RowwiseKernels kRowwiseNeon = {RmsNormRow, RotateRow, SiluTimesRow, NormRow};

}  // namespace ferry::kernels
