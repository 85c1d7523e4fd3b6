#include "device-runtime/kernels/simd/neon.h"

#include "device-runtime/kernels/gemm/vector.h"

namespace ferry::kernels {

#define FERRY_TILES_6(v) \
  nullptr, Tile<1, v>, Tile<2, v>, Tile<3, v>, Tile<4, v>, Tile<5, v>, Tile<6, v>
#define FERRY_TILES_9(v) FERRY_TILES_6(v), Tile<7, v>, Tile<8, v>, Tile<9, v>
#define FERRY_TILES_12(v) FERRY_TILES_9(v), Tile<10, v>, Tile<11, v>, Tile<12, v>

// 6 x 4 sums, 4 vectors of B and one broadcast fit in 32 registers.
const GemmKernels kGemmNeon = {
    6,
    kWidth,
    4,
    {{}, {FERRY_TILES_12(1)}, {FERRY_TILES_12(2)}, {FERRY_TILES_9(3)}, {FERRY_TILES_6(4)}}};
#undef FERRY_TILES_6
#undef FERRY_TILES_9
#undef FERRY_TILES_12

}  // namespace ferry::kernels
