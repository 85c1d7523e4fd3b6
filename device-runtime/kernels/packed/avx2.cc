// Products of bytes are summed in pairs of 16 bits: of codes up to 4 bits over as many chunks as 16
// bits hold, of 8 bits (|code| times x with the code's sign, for no pair saturates) widened at
// once.
#include "device-runtime/kernels/packed/narrow.h"

namespace ferry::kernels {
namespace {

struct Signed {
  Codes code, magnitude;
};

// 2^(bits - 1) * 127 * 16 pairs of columns a chunk stay below 2^15.
template <int kBits>
constexpr int64_t kRunChunks = kBits == 8   ? 0
                               : kBits == 4 ? 2
                               : kBits == 3 ? 4
                                            : 8;
template <int kRows>
constexpr int kChains = 1;

template <int kBits>
inline auto Prepare(Codes x) {
  if constexpr (kBits == 8) {
    const __m256i flip = _mm256_set1_epi8(-128);
    Signed s;
    s.code = {_mm256_xor_si256(x.a, flip), _mm256_xor_si256(x.b, flip)};
    s.magnitude = {_mm256_abs_epi8(s.code.a), _mm256_abs_epi8(s.code.b)};
    return s;
  } else {
    return x;
  }
}
// The compiler would make all products of a chunk before it adds any, and run out of registers.
inline void KeepOrder(Sums& sum) {
  asm("" : "+x"(sum.a), "+x"(sum.b));
}
inline void Dot(Sums& sum, const Codes& w, const uint8_t* x) {
  const __m256i four = FourBytes(x);
  sum.a = _mm256_add_epi16(sum.a, _mm256_maddubs_epi16(w.a, four));
  sum.b = _mm256_add_epi16(sum.b, _mm256_maddubs_epi16(w.b, four));
  KeepOrder(sum);
}
inline __m256i DotSigned(__m256i sum, __m256i code, __m256i magnitude, __m256i x) {
  const __m256i pairs = _mm256_maddubs_epi16(magnitude, _mm256_sign_epi8(x, code));
  return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}
inline void Dot(Sums& sum, const Signed& w, const uint8_t* x) {
  const __m256i four = FourBytes(x);
  sum.a = DotSigned(sum.a, w.code.a, w.magnitude.a, four);
  sum.b = DotSigned(sum.b, w.code.b, w.magnitude.b, four);
  KeepOrder(sum);
}
template <int kBits>
inline Sums StartGroup(const uint8_t*) {
  return NoSums();
}
// Stored codes are 2^(bits - 1) too large: that many times the sum of x is taken off beforehand.
// The 16-bit sums may wrap on the way, what they end with fits.
template <int kBits>
inline void StartChunk(const uint8_t* pairs, Sums* sum) {
  if constexpr (kBits != 8) {
    const __m256i start = _mm256_slli_epi16(FourBytes(pairs), kBits - 1);
    *sum = {_mm256_add_epi16(sum->a, start), _mm256_add_epi16(sum->b, start)};
  }
}
template <int kBits>
inline Ints Widen(Sums x) {
  if constexpr (kBits == 8) return {x.a, x.b};
  const __m256i ones = _mm256_set1_epi16(1);
  return {_mm256_madd_epi16(x.a, ones), _mm256_madd_epi16(x.b, ones)};
}

}  // namespace
}  // namespace ferry::kernels

#include "device-runtime/kernels/packed/quantize_x86.h"
#include "device-runtime/kernels/packed/tile.h"

namespace ferry::kernels {

// 4 x 2 sums, 2 halves of the weights and what products pass through fit in 16 registers.
#define FERRY_FEW(bits) \
  { nullptr, Few<bits, 1>, Few<bits, 2>, Few<bits, 3>, Few<bits, 4> }
const PackedKernels kPackedAvx2 = {4,
                                   {FERRY_FEW(2), FERRY_FEW(3), FERRY_FEW(4), FERRY_FEW(8)},
                                   {Many<2, 4>, Many<3, 4>, Many<4, 4>, nullptr},
                                   {},
                                   Exact,
                                   QuantizeRow};
#undef FERRY_FEW

}  // namespace ferry::kernels
