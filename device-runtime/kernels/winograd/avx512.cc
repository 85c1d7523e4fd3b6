#include "device-runtime/kernels/simd/avx512.h"

#include "device-runtime/kernels/winograd/vector.h"

namespace ferry::kernels {

const WinogradKernels kWinogradAvx512 = kVectorWinograd;

}  // namespace ferry::kernels
