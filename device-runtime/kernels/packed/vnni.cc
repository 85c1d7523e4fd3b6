#include "device-runtime/kernels/packed/vnni.h"

namespace ferry::kernels {

const PackedKernels kPackedVnni = {
    8,
    {FERRY_FEW(2), FERRY_FEW(3), FERRY_FEW(4), FERRY_FEW(8)},
    {nullptr, nullptr, Many<4, 8>, nullptr},  // pairs leave one tile at most
    {ManyOfPair<2, 8>, ManyOfPair<3, 8>, ManyOfPair<4, 8>, ManyOfPair<8, 8>},
    Exact,
    QuantizeRow};

}  // namespace ferry::kernels
