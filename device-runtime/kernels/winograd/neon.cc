#include "device-runtime/kernels/simd/neon.h"

#include "device-runtime/kernels/winograd/vector.h"

namespace ferry::kernels {

const WinogradKernels kWinogradNeon = kVectorWinograd;

}  // namespace ferry::kernels
