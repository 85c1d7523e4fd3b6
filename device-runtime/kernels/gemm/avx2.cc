#include "device-runtime/kernels/simd/avx2.h"

#include "device-runtime/kernels/gemm/vector.h"

namespace ferry::kernels {

#define FERRY_TILES_4(v) nullptr, Tile<1, v>, Tile<2, v>, Tile<3, v>, Tile<4, v>
#define FERRY_TILES_6(v) FERRY_TILES_4(v), Tile<5, v>, Tile<6, v>
#define FERRY_TILES_12(v) \
  FERRY_TILES_6(v), Tile<7, v>, Tile<8, v>, Tile<9, v>, Tile<10, v>, Tile<11, v>, Tile<12, v>

// 6 x 2 sums, 2 vectors of B and one broadcast fit in 16 registers.
const GemmKernels kGemmAvx2 = {
    6, kWidth, 2, {{}, {FERRY_TILES_12(1)}, {FERRY_TILES_6(2)}, {FERRY_TILES_4(3)}}};
#undef FERRY_TILES_4
#undef FERRY_TILES_6
#undef FERRY_TILES_12

}  // namespace ferry::kernels
