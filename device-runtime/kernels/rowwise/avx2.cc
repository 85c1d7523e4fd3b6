#include "device-runtime/kernels/simd/avx2.h"

#include "device-runtime/kernels/rowwise/vector.h"

namespace ferry::kernels {

const RowwiseKernels kRowwiseAvx2 = {RmsNormRow, RotateRow, SiluTimesRow, NormRow};

}  // namespace ferry::kernels
