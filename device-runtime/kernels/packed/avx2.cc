// Products of bytes are summed in pairs of 16 bits: of codes up to 4 bits over as many chunks as 16
// bits hold, of 8 bits (|code| times x with the code's sign, for no pair saturates) widened at
// once.
#include <immintrin.h>

#include "device-runtime/kernels/packed/kernels.h"

#define FERRY_UNROLL _Pragma("GCC unroll 64")

namespace ferry::kernels {
namespace {

struct Codes {
  __m256i a, b;  // rows 0 to 7, rows 8 to 15
};
struct Sums {
  __m256i a, b;
};
struct Ints {
  __m256i a, b;
};
struct Floats {
  __m256 a, b;
};
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

inline Codes LoadCodes(const uint8_t* p) {
  return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)),
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 32))};
}
inline void StoreCodes(uint8_t* p, Codes x) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x.a);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p + 32), x.b);
}
template <int kShift, int kMask>
inline Codes Field(Codes x) {
  const __m256i mask = _mm256_set1_epi8(kMask);
  return {_mm256_and_si256(_mm256_srli_epi16(x.a, kShift), mask),
          _mm256_and_si256(_mm256_srli_epi16(x.b, kShift), mask)};
}
// Bit kBit of each byte of `upper` as bit 2.
template <int kBit>
inline Codes WithUpperBit(Codes lower, Codes upper) {
  const __m256i mask = _mm256_set1_epi8(4);
  if constexpr (kBit < 2) {
    upper = {_mm256_slli_epi16(upper.a, 2 - kBit), _mm256_slli_epi16(upper.b, 2 - kBit)};
  } else {
    upper = {_mm256_srli_epi16(upper.a, kBit - 2), _mm256_srli_epi16(upper.b, kBit - 2)};
  }
  return {_mm256_or_si256(lower.a, _mm256_and_si256(upper.a, mask)),
          _mm256_or_si256(lower.b, _mm256_and_si256(upper.b, mask))};
}
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
inline __m256i FourBytes(const uint8_t* p) {
  int32_t four;
  __builtin_memcpy(&four, p, sizeof four);
  return _mm256_set1_epi32(four);
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
inline Sums NoSums() {
  return {_mm256_setzero_si256(), _mm256_setzero_si256()};
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
inline void AddSums(Sums* a, Sums b) {
  *a = {_mm256_add_epi32(a->a, b.a), _mm256_add_epi32(a->b, b.b)};
}
template <int kBits>
inline Ints Widen(Sums x) {
  if constexpr (kBits == 8) return {x.a, x.b};
  const __m256i ones = _mm256_set1_epi16(1);
  return {_mm256_madd_epi16(x.a, ones), _mm256_madd_epi16(x.b, ones)};
}

inline Ints SetInts(int32_t x) {
  return {_mm256_set1_epi32(x), _mm256_set1_epi32(x)};
}
inline Ints AddInts(Ints x, Ints y) {
  return {_mm256_add_epi32(x.a, y.a), _mm256_add_epi32(x.b, y.b)};
}
template <int kByte>
inline Ints ByteOf(Codes x) {
  const __m256i mask = _mm256_set1_epi32(255);
  return {_mm256_and_si256(_mm256_srli_epi32(x.a, 8 * kByte), mask),
          _mm256_and_si256(_mm256_srli_epi32(x.b, 8 * kByte), mask)};
}
inline Floats ToFloats(Ints x) {
  return {_mm256_cvtepi32_ps(x.a), _mm256_cvtepi32_ps(x.b)};
}
inline Floats SetFloats(float x) {
  return {_mm256_set1_ps(x), _mm256_set1_ps(x)};
}
inline Floats LoadFloats(const float* p) {
  return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)};
}
inline void StoreFloats(float* p, Floats x) {
  _mm256_storeu_ps(p, x.a);
  _mm256_storeu_ps(p + 8, x.b);
}
inline Floats AddFloats(Floats x, Floats y) {
  return {_mm256_add_ps(x.a, y.a), _mm256_add_ps(x.b, y.b)};
}
inline Floats MulFloats(Floats x, Floats y) {
  return {_mm256_mul_ps(x.a, y.a), _mm256_mul_ps(x.b, y.b)};
}
inline Floats FmaFloats(Floats x, Floats y, Floats z) {
  return {_mm256_fmadd_ps(x.a, y.a, z.a), _mm256_fmadd_ps(x.b, y.b, z.b)};
}
inline Floats Everywhere(const uint8_t* p) {
  float x;
  __builtin_memcpy(&x, p, sizeof x);
  return SetFloats(x);
}
inline __m128i Sixteen(const uint8_t* p) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}
inline Floats LoadNumbers(PackedScale type, const uint8_t* p) {
  switch (type) {
    case PackedScale::kF16:
      return {_mm256_cvtph_ps(Sixteen(p)), _mm256_cvtph_ps(Sixteen(p + 16))};
    case PackedScale::kBF16:
      return {_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(Sixteen(p)), 16)),
              _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(Sixteen(p + 16)), 16))};
    default:
      return LoadFloats(reinterpret_cast<const float*>(p));
  }
}
inline Floats LoadBytes(const uint8_t* p) {
  const __m128i bytes = Sixteen(p);
  return {_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes)),
          _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128(bytes, 8)))};
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
