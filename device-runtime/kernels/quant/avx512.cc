#include "device-runtime/kernels/quant/wide.h"

namespace ferry::kernels {
namespace {

// Bytes 0 and 2 of each lane, and bytes 1 and 3, as 16-bit numbers: sums of their products are
// exact, which vpmaddubsw's are not.
struct Left {
  __m512i even, odd;
};
using Right = Left;

inline Right RightOf(const int8_t* p) {
  const __m512i b = _mm512_loadu_si512(p);
  return {_mm512_srai_epi16(_mm512_slli_epi16(b, 8), 8), _mm512_srai_epi16(b, 8)};
}
template <bool kSigned>
inline Left LeftOf(uint32_t x) {
  if (kSigned) x ^= 0x80808080u;
  const __m512i all = _mm512_set1_epi32(static_cast<int32_t>(x));
  return {_mm512_and_si512(all, _mm512_set1_epi16(0xff)), _mm512_srli_epi16(all, 8)};
}
inline Ints Dot(Ints sum, Left a, Right b) {
  const __m512i even = _mm512_madd_epi16(a.even, b.even);
  const __m512i odd = _mm512_madd_epi16(a.odd, b.odd);
  return {_mm512_add_epi32(_mm512_add_epi32(sum.v, even), odd)};
}

// Pairs of 16-bit numbers.
inline Ints DotPairs(Ints sum, Ints a, Ints b) {
  return {_mm512_add_epi32(sum.v, _mm512_madd_epi16(a.v, b.v))};
}

}  // namespace
}  // namespace ferry::kernels

#include "device-runtime/kernels/quant/tile.h"
// After tile.h, whose registers it uses.
#include "device-runtime/kernels/quant/winograd_tiles.h"

namespace ferry::kernels {

#undef FERRY_TILES
#define FERRY_TILES(s, v)                                                               \
  {                                                                                     \
    nullptr, Tile<s, 1, v>, Tile<s, 2, v>, Tile<s, 3, v>, Tile<s, 4, v>, Tile<s, 5, v>, \
        Tile<s, 6, v>, Tile<s, 7, v>, Tile<s, 8, v>, Tile<s, 9, v>, Tile<s, 10, v>      \
  }
const QuantWinograd kWinograd16 = WinogradOf<1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12>(1);

// 10 x 2 sums, 2 x 2 halves of B, 2 of A, a mask and what products pass through.
const QuantKernels kQuantAvx512 = {10,
                                   kWidth,
                                   2,
                                   {{{}, FERRY_TILES(false, 1), FERRY_TILES(false, 2)},
                                    {{}, FERRY_TILES(true, 1), FERRY_TILES(true, 2)}},
                                   FERRY_QUANT_SHARED,
                                   4,
                                   {0, 128},
                                   nullptr,
                                   &kWinograd16};

}  // namespace ferry::kernels
