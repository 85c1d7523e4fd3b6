#include "device-runtime/kernels/map/vector.h"

namespace ferry::kernels {

const MapKernels kMapAvx2 = kMap;

}  // namespace ferry::kernels
