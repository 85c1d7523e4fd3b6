#include "device-runtime/kernels/simd/avx2.h"

#include "device-runtime/kernels/gemm/vector.h"

namespace ferry::kernels {

#define FERRY_TILES(v) \
  { nullptr, Tile<1, v>, Tile<2, v>, Tile<3, v>, Tile<4, v>, Tile<5, v>, Tile<6, v> }

// 6 x 2 sums, 2 vectors of B and one broadcast fit in 16 registers.
const GemmKernels kGemmAvx2 = {6, kWidth, 2, {{}, FERRY_TILES(1), FERRY_TILES(2)}};
#undef FERRY_TILES

}  // namespace ferry::kernels
