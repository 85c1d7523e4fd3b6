#include "device-runtime/kernels/simd/avx512.h"

#include "device-runtime/kernels/bf16/kernels.h"
#include "device-runtime/kernels/gemm/vector.h"

namespace ferry::kernels {
namespace {

// Pairs of neighbours in depth, which lie in the bits of a float.
struct PairProduct {
  using Factors = __m512bh;
  static Factors Pairs(__m512 x) { return (__m512bh)x; }  // gcc 12 has no function for it
  static Factors LoadRight(const float* b) { return Pairs(_mm512_loadu_ps(b)); }
  static Factors SetLeft(float a) { return Pairs(_mm512_set1_ps(a)); }
  static Vec Add(Vec sum, Factors left, Factors right) {
    return {_mm512_dpbf16_ps(sum.v, left, right)};
  }
};

template <int kRows, int kVectors>
constexpr auto kTile = Tile<kRows, kVectors, PairProduct>;

void Round(const float* x, int64_t count, uint16_t* y) {
  for (int64_t i = 0; i < count; i += kWidth) {
    const __mmask16 lanes = FirstLanes(count - i);
    const auto halves = (__m256i)_mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(lanes, x + i));
    _mm256_mask_storeu_epi16(y + i, lanes, halves);
  }
}

}  // namespace

#define FERRY_TILES_6(v) \
  nullptr, kTile<1, v>, kTile<2, v>, kTile<3, v>, kTile<4, v>, kTile<5, v>, kTile<6, v>
#define FERRY_TILES_9(v) FERRY_TILES_6(v), kTile<7, v>, kTile<8, v>, kTile<9, v>
#define FERRY_TILES_12(v) FERRY_TILES_9(v), kTile<10, v>, kTile<11, v>, kTile<12, v>

// As gemm's of AVX-512.
const Bf16Kernels kBf16Avx512Bf16 = {
    true,
    {12,
     kWidth,
     2,
     {{}, {FERRY_TILES_12(1)}, {FERRY_TILES_12(2)}, {FERRY_TILES_9(3)}, {FERRY_TILES_6(4)}}},
    Round};
#undef FERRY_TILES_6
#undef FERRY_TILES_9
#undef FERRY_TILES_12

}  // namespace ferry::kernels
