#include "device-runtime/kernels/simd/avx512.h"

#include "device-runtime/kernels/bf16/kernels.h"
#include "device-runtime/kernels/gemm/vector.h"

namespace ferry::kernels {
namespace {

inline __m512bh Pairs(__m512 x) {
  return (__m512bh)x;  // gcc 12 has no function for it
}

template <int kRows, int kVectors>
void PairTile(const TileArgs& t) {
  static_assert(kRows * kVectors + kVectors + 1 <= kRegisters);
  Vec sum[kRows][kVectors];
  FERRY_UNROLL
  for (int r = 0; r < kRows; ++r) {
    FERRY_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      const int64_t column = v * kWidth;
      sum[r][v] =
          t.accumulate ? LoadPart(t.c + r * t.c_stride + column, t.columns - column) : Zero();
    }
  }
  const float* b = t.b;
  const float* const* rows = t.a;
  for (int64_t tap = 0; tap < t.taps; ++tap, rows += kRows) {
    const float* a[kRows];
    FERRY_UNROLL
    for (int r = 0; r < kRows; ++r) a[r] = rows[r];
    for (int64_t k = 0; k < t.depth; ++k, b += kVectors * kWidth) {
      __m512bh right[kVectors];
      FERRY_UNROLL
      for (int v = 0; v < kVectors; ++v) right[v] = Pairs(_mm512_loadu_ps(b + v * kWidth));
      FERRY_UNROLL
      for (int r = 0; r < kRows; ++r) {
        const __m512bh left = Pairs(_mm512_set1_ps(a[r][k]));
        FERRY_UNROLL
        for (int v = 0; v < kVectors; ++v) {
          sum[r][v].v = _mm512_dpbf16_ps(sum[r][v].v, left, right[v]);
        }
      }
    }
  }
  if (t.columns == kVectors * kWidth) {
    FinishAndStore<kRows, kVectors, true>(t, sum);
  } else {
    FinishAndStore<kRows, kVectors, false>(t, sum);
  }
}

void Round(const float* x, int64_t count, uint16_t* y) {
  for (int64_t i = 0; i < count; i += kWidth) {
    const __mmask16 lanes = FirstLanes(count - i);
    const auto halves = (__m256i)_mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(lanes, x + i));
    _mm256_mask_storeu_epi16(y + i, lanes, halves);
  }
}

}  // namespace

#define FERRY_TILES_6(v)                                                                   \
  nullptr, PairTile<1, v>, PairTile<2, v>, PairTile<3, v>, PairTile<4, v>, PairTile<5, v>, \
      PairTile<6, v>
#define FERRY_TILES_9(v) FERRY_TILES_6(v), PairTile<7, v>, PairTile<8, v>, PairTile<9, v>
#define FERRY_TILES_12(v) FERRY_TILES_9(v), PairTile<10, v>, PairTile<11, v>, PairTile<12, v>

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
