#include "device-runtime/kernels/packed/arm.h"

namespace ferry::kernels {
namespace {

inline void Dot(Sums& sum, const SignedCodes& w, const uint8_t* x) {
  const int8x16_t four = vreinterpretq_s8_s32(FourBytes(x));
  FERRY_UNROLL
  for (int i = 0; i < 4; ++i) sum.v[i] = vdotq_s32(sum.v[i], w.v[i], four);
}

}  // namespace
}  // namespace ferry::kernels

#include "device-runtime/kernels/packed/tile.h"

namespace ferry::kernels {

// 6 x 4 sums, 4 registers of weights and one of x.
#define FERRY_FEW(bits) \
  { nullptr, Few<bits, 1>, Few<bits, 2>, Few<bits, 3>, Few<bits, 4>, Few<bits, 5>, Few<bits, 6> }
const PackedKernels kPackedDotprod = {6,
                                      {FERRY_FEW(2), FERRY_FEW(3), FERRY_FEW(4), FERRY_FEW(8)},
                                      {Many<2, 6>, Many<3, 6>, Many<4, 6>, nullptr},
                                      {},
                                      Exact,
                                      QuantizeRow};
#undef FERRY_FEW

}  // namespace ferry::kernels
