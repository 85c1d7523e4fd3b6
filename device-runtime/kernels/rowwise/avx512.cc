#include "device-runtime/kernels/simd/avx512.h"

#include "device-runtime/kernels/rowwise/vector.h"

namespace ferry::kernels {

const RowwiseKernels kRowwiseAvx512 = {RmsNormRow, RotateRow, SiluTimesRow, NormRow};

}  // namespace ferry::kernels
