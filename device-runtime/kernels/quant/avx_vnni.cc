#include "device-runtime/kernels/quant/narrow.h"

namespace ferry::kernels {
namespace {

struct Left {
  __m256i v;
};
struct Right {
  __m256i v;
};

inline Right RightOf(const int8_t* p) {
  return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
}
template <bool kSigned>
inline Left LeftOf(uint32_t x) {
  const __m256i all = _mm256_set1_epi32(static_cast<int32_t>(x));
  return {kSigned ? _mm256_xor_si256(all, _mm256_set1_epi8(-128)) : all};
}
inline Ints Dot(Ints sum, Left a, Right b) {
  return {_mm256_dpbusd_avx_epi32(sum.v, a.v, b.v)};
}

// Pairs of 16-bit numbers.
inline Ints DotPairs(Ints sum, Ints a, Ints b) {
  return {_mm256_dpwssd_avx_epi32(sum.v, a.v, b.v)};
}

}  // namespace
}  // namespace ferry::kernels

#include "device-runtime/kernels/quant/tile.h"
// After tile.h, whose registers it uses.
#include "device-runtime/kernels/quant/winograd_tiles.h"

namespace ferry::kernels {

#define FERRY_TILES(s, v)                                                               \
  {                                                                                     \
    nullptr, Tile<s, 1, v>, Tile<s, 2, v>, Tile<s, 3, v>, Tile<s, 4, v>, Tile<s, 5, v>, \
        Tile<s, 6, v>                                                                   \
  }
const QuantWinograd kWinograd16 = WinogradOf<1, 2, 3, 4, 5, 6>(2);

// 6 x 2 sums, 2 vectors of B and one broadcast of A: 16 registers.
const QuantKernels kQuantAvxVnni = {6,
                                    kWidth,
                                    2,
                                    {{{}, FERRY_TILES(false, 1), FERRY_TILES(false, 2)},
                                     {{}, FERRY_TILES(true, 1), FERRY_TILES(true, 2)}},
                                    FERRY_QUANT_SHARED,
                                    4,
                                    {0, 128},
                                    nullptr,
                                    &kWinograd16};
#undef FERRY_TILES

}  // namespace ferry::kernels
