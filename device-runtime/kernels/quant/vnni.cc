#include "device-runtime/kernels/quant/wide.h"

namespace ferry::kernels {
namespace {

struct Left {
  __m512i v;
};
struct Right {
  __m512i v;
};

inline Right RightOf(const int8_t* p) {
  return {_mm512_loadu_si512(p)};
}
template <bool kSigned>
inline Left LeftOf(uint32_t x) {
  const __m512i all = _mm512_set1_epi32(static_cast<int32_t>(x));
  return {kSigned ? _mm512_xor_si512(all, _mm512_set1_epi8(-128)) : all};
}
inline Ints Dot(Ints sum, Left a, Right b) {
  return {_mm512_dpbusd_epi32(sum.v, a.v, b.v)};
}

// Pairs of 16-bit numbers.
inline Ints DotPairs(Ints sum, Ints a, Ints b) {
  return {_mm512_dpwssd_epi32(sum.v, a.v, b.v)};
}

}  // namespace
}  // namespace ferry::kernels

#include "device-runtime/kernels/quant/tile.h"
// After vector.h, whose epilogues it uses.
#include "device-runtime/kernels/quant/depthwise_lines.h"
#include "device-runtime/kernels/quant/winograd_tiles.h"

namespace ferry::kernels {

const QuantWinograd kWinograd16 = WinogradOf<1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12>(2);

// 12 x 2 sums, 2 vectors of B and one broadcast fit in 32 registers.
const QuantKernels kQuantVnni = {12,
                                 kWidth,
                                 2,
                                 {{{}, FERRY_TILES(false, 1), FERRY_TILES(false, 2)},
                                  {{}, FERRY_TILES(true, 1), FERRY_TILES(true, 2)}},
                                 FERRY_QUANT_SHARED,
                                 4,
                                 {0, 128},
                                 &kLines,
                                 &kWinograd16};

}  // namespace ferry::kernels
