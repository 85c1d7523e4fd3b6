#include "device-runtime/kernels/packed/arm.h"

namespace ferry::kernels {
namespace {

// Products of 16 bits, their pairs (128 * 127 * 2 fits), then the pairs' pairs.
inline void Dot(Sums& sum, const SignedCodes& w, const uint8_t* x) {
  const int8x16_t four = vreinterpretq_s8_s32(FourBytes(x));
  FERRY_UNROLL
  for (int i = 0; i < 4; ++i) {
    const int16x8_t low = vmull_s8(vget_low_s8(w.v[i]), vget_low_s8(four));
    const int16x8_t high = vmull_high_s8(w.v[i], four);
    sum.v[i] = vpadalq_s16(sum.v[i], vpaddq_s16(low, high));
  }
}

}  // namespace
}  // namespace ferry::kernels

#include "device-runtime/kernels/packed/tile.h"

namespace ferry::kernels {

// 4 x 4 sums, 4 registers of weights, one of x and what products pass through.
#define FERRY_FEW(bits) \
  { nullptr, Few<bits, 1>, Few<bits, 2>, Few<bits, 3>, Few<bits, 4> }
const PackedKernels kPackedNeon = {4,
                                   {FERRY_FEW(2), FERRY_FEW(3), FERRY_FEW(4), FERRY_FEW(8)},
                                   {Many<2, 4>, Many<3, 4>, Many<4, 4>, nullptr},
                                   {},
                                   Exact,
                                   QuantizeRow};
#undef FERRY_FEW

}  // namespace ferry::kernels
