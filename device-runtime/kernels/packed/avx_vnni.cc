// AVX-VNNI: one instruction multiplies stored codes of eight rows, unsigned, with four activations
// everywhere and adds them to 32-bit sums.
#include "device-runtime/kernels/packed/narrow.h"

namespace ferry::kernels {
namespace {

template <int kBits>
constexpr int64_t kRunChunks = 0;
// A product takes four or five cycles, one or two begin in each; a chain has two of them.
template <int kRows>
constexpr int kChains = kRows == 1   ? 4
                        : kRows == 2 ? 2
                                     : 1;

template <int kBits>
inline Codes Prepare(Codes x) {
  return x;
}
inline void Dot(Sums& sum, const Codes& w, const uint8_t* x) {
  const __m256i four = FourBytes(x);
  sum.a = _mm256_dpbusd_avx_epi32(sum.a, w.a, four);
  sum.b = _mm256_dpbusd_avx_epi32(sum.b, w.b, four);
}
// Stored codes are 2^(bits - 1) too large: that many times the sum of x is taken off beforehand.
template <int kBits>
inline Sums StartGroup(const uint8_t* negative) {
  const __m256i start = _mm256_slli_epi32(FourBytes(negative), kBits - 1);
  return {start, start};
}
template <int kBits>
inline void StartChunk(const uint8_t*, Sums*) {}
template <int kBits>
inline Ints Widen(Sums x) {
  return {x.a, x.b};
}

}  // namespace
}  // namespace ferry::kernels

#include "device-runtime/kernels/packed/tile.h"

namespace ferry::kernels {

// 6 x 2 sums, 2 halves of the weights and four activations fit in 16 registers; what unpacks codes
// on the way needs some of them. Of 2 and 3 bits AVX2's sums of 16 bits do nearly as well.
#define FERRY_FEW(bits) \
  { nullptr, Few<bits, 1>, Few<bits, 2>, Few<bits, 3>, Few<bits, 4> }
const PackedKernels kPackedAvxVnni = {4,
                                      {{}, {}, FERRY_FEW(4), FERRY_FEW(8)},
                                      {nullptr, nullptr, Many<4, 6>, Many<8, 6>},
                                      {},
                                      nullptr,
                                      nullptr,
                                      &kPackedAvx2};
#undef FERRY_FEW

}  // namespace ferry::kernels
