#include "device-runtime/kernels/map/vector.h"

namespace ferry::kernels {

const MapKernels kMapNeon = kMap;

}  // namespace ferry::kernels
