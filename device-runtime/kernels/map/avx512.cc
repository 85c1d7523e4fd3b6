#include "device-runtime/kernels/map/vector.h"

namespace ferry::kernels {

const MapKernels kMapAvx512 = kMap;

}  // namespace ferry::kernels
