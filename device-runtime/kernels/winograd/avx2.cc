#include "device-runtime/kernels/simd/avx2.h"

#include "device-runtime/kernels/winograd/vector.h"

namespace ferry::kernels {

const WinogradKernels kWinogradAvx2 = kVectorWinograd;

}  // namespace ferry::kernels
