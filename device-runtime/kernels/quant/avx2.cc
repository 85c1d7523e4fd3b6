#include "device-runtime/kernels/quant/narrow.h"

namespace ferry::kernels {
namespace {

// Bytes 0 and 2 of each lane, and bytes 1 and 3, as 16-bit numbers: sums of their products are
// exact, which vpmaddubsw's are not.
struct Left {
  __m256i even, odd;
};
using Right = Left;

inline Right RightOf(const int8_t* p) {
  const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  return {_mm256_srai_epi16(_mm256_slli_epi16(b, 8), 8), _mm256_srai_epi16(b, 8)};
}
template <bool kSigned>
inline Left LeftOf(uint32_t x) {
  if (kSigned) x ^= 0x80808080u;
  const __m256i all = _mm256_set1_epi32(static_cast<int32_t>(x));
  return {_mm256_and_si256(all, _mm256_set1_epi16(0xff)), _mm256_srli_epi16(all, 8)};
}

inline Ints Dot(Ints sum, Left a, Right b) {
  const __m256i even = _mm256_madd_epi16(a.even, b.even);
  const __m256i odd = _mm256_madd_epi16(a.odd, b.odd);
  return {_mm256_add_epi32(_mm256_add_epi32(sum.v, even), odd)};
}

// Pairs of 16-bit numbers.
inline Ints DotPairs(Ints sum, Ints a, Ints b) {
  return {_mm256_add_epi32(sum.v, _mm256_madd_epi16(a.v, b.v))};
}

inline Ints Flip(Ints x) {
  return {_mm256_xor_si256(x.v, _mm256_set1_epi8(-128))};
}
inline Ints DotBounded(Ints sum, Ints a, Ints b) {
  const __m256i pairs = _mm256_maddubs_epi16(a.v, b.v);
  return {_mm256_add_epi32(sum.v, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))};
}

}  // namespace
}  // namespace ferry::kernels

#include "device-runtime/kernels/quant/bounded.h"
// After tile.h, whose registers it uses.
#include "device-runtime/kernels/quant/winograd_tiles.h"

namespace ferry::kernels {

#define FERRY_TILES(s, v)                                                               \
  {                                                                                     \
    nullptr, Tile<s, 1, v>, Tile<s, 2, v>, Tile<s, 3, v>, Tile<s, 4, v>, Tile<s, 5, v>, \
        Tile<s, 6, v>                                                                   \
  }
const QuantWinograd kWinograd16 = WinogradOf<1, 2, 3, 4>(1);
#define FERRY_BOUNDED(s, v)                                                    \
  {                                                                            \
    nullptr, BoundedTile<s, 1, v>, BoundedTile<s, 2, v>, BoundedTile<s, 3, v>, \
        BoundedTile<s, 4, v>, BoundedTile<s, 5, v>, BoundedTile<s, 6, v>       \
  }
const QuantBounded kBounded = {{{{}, FERRY_BOUNDED(false, 1), FERRY_BOUNDED(false, 2)},
                                {{}, FERRY_BOUNDED(true, 1), FERRY_BOUNDED(true, 2)}}};
#undef FERRY_BOUNDED

// 6 x 2 sums, 2 vectors of B, one of A and what products pass through: 16 registers. Tiles without
// bounds keep halves of B in memory, which costs less than to split those of A for fewer rows.
const QuantKernels kQuantAvx2 = {6,
                                 kWidth,
                                 2,
                                 {{{}, FERRY_TILES(false, 1), FERRY_TILES(false, 2)},
                                  {{}, FERRY_TILES(true, 1), FERRY_TILES(true, 2)}},
                                 FERRY_QUANT_SHARED,
                                 4,
                                 {0, 128},
                                 nullptr,
                                 &kWinograd16,
                                 &kBounded};
#undef FERRY_TILES

}  // namespace ferry::kernels
