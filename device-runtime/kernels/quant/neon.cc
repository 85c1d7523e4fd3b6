#include "device-runtime/kernels/quant/arm.h"

namespace ferry::kernels {
namespace {

// Bytes 0 and 2 of each lane, and bytes 1 and 3, as 16-bit numbers.
struct Left {
  int16x8_t even, odd;
};
using Right = Left;

inline Right RightOf(const int8_t* p) {
  const int16x8_t b = vreinterpretq_s16_s8(vld1q_s8(p));
  return {vshrq_n_s16(vshlq_n_s16(b, 8), 8), vshrq_n_s16(b, 8)};
}
template <bool kSigned>
inline Left LeftOf(uint32_t x) {
  if (kSigned) x ^= 0x80808080u;
  const uint16x8_t all = vreinterpretq_u16_u32(vdupq_n_u32(x));
  return {vreinterpretq_s16_u16(vandq_u16(all, vdupq_n_u16(0xff))),
          vreinterpretq_s16_u16(vshrq_n_u16(all, 8))};
}
// Neighbouring products belong to one lane.
inline Ints Dot(Ints sum, Left a, Right b) {
  int32x4_t low = vmull_s16(vget_low_s16(a.even), vget_low_s16(b.even));
  int32x4_t high = vmull_high_s16(a.even, b.even);
  low = vmlal_s16(low, vget_low_s16(a.odd), vget_low_s16(b.odd));
  high = vmlal_high_s16(high, a.odd, b.odd);
  return {vaddq_s32(sum.v, vpaddq_s32(low, high))};
}

}  // namespace
}  // namespace ferry::kernels

#include "device-runtime/kernels/quant/tile.h"

namespace ferry::kernels {

#define FERRY_TILES(s, v)                                                               \
  {                                                                                     \
    nullptr, Tile<s, 1, v>, Tile<s, 2, v>, Tile<s, 3, v>, Tile<s, 4, v>, Tile<s, 5, v>, \
        Tile<s, 6, v>                                                                   \
  }
// 6 x 2 sums, 2 x 2 halves of B, 2 of A and what products pass through.
const QuantKernels kQuantNeon = {6,
                                 kWidth,
                                 2,
                                 {{{}, FERRY_TILES(false, 1), FERRY_TILES(false, 2)},
                                  {{}, FERRY_TILES(true, 1), FERRY_TILES(true, 2)}},
                                 FERRY_QUANT_SHARED};
#undef FERRY_TILES

}  // namespace ferry::kernels
