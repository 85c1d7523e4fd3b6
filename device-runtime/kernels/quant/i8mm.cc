#include "device-runtime/kernels/quant/arm.h"
#include "device-runtime/kernels/quant/vector.h"

namespace ferry::kernels {
namespace {

constexpr int64_t kGroup = 8;

// Eight bytes of each of two rows; those from `count` on are 0.
inline uint8x16_t TwoRows(const uint8_t* a, const uint8_t* b, int64_t count) {
  return vcombine_u8(Eight(a, count), Eight(b, count));
}
// sum + two rows of A times two columns of B: row by row.
template <bool kSigned>
inline int32x4_t AddProducts(int32x4_t sum, uint8x16_t a, int8x16_t b) {
  return kSigned ? vmmlaq_s32(sum, vreinterpretq_s8_u8(a), b) : vusmmlaq_s32(sum, a, b);
}

// The lower and the upper halves of two registers: of rows side by side, two columns of both; and
// back.
inline int32x4_t LowHalves(int32x4_t a, int32x4_t b) {
  return vcombine_s32(vget_low_s32(a), vget_low_s32(b));
}
inline int32x4_t HighHalves(int32x4_t a, int32x4_t b) {
  return vcombine_s32(vget_high_s32(a), vget_high_s32(b));
}

// Of rows in pairs (an odd last one twice) and columns in pairs.
template <int kRows, int kVectors>
using Sums = int32x4_t[(kRows + 1) / 2][2 * kVectors];

template <int kRows>
constexpr int SecondOf(int pair) {
  return 2 * pair + 1 < kRows ? 2 * pair + 1 : 2 * pair;
}

template <int kRows, int kVectors>
inline void LoadSums(const QuantTile& t, Sums<kRows, kVectors>& sum) {
  FERRY_UNROLL
  for (int p = 0; p < (kRows + 1) / 2; ++p) {
    const int32_t* first = t.start != nullptr ? t.start : t.sums + 2 * p * kMaxQuantWidth;
    const int32_t* second =
        t.start != nullptr ? t.start : t.sums + SecondOf<kRows>(p) * kMaxQuantWidth;
    FERRY_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      const int32x4_t x = vld1q_s32(first + v * kWidth), y = vld1q_s32(second + v * kWidth);
      sum[p][2 * v] = LowHalves(x, y);
      sum[p][2 * v + 1] = HighHalves(x, y);
    }
  }
}

template <int kRows, int kVectors>
inline void StoreSums(const QuantTile& t, const Sums<kRows, kVectors>& sum) {
  FERRY_UNROLL
  for (int p = 0; p < (kRows + 1) / 2; ++p) {
    int32_t* to = t.sums + 2 * p * kMaxQuantWidth;
    FERRY_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      vst1q_s32(to + v * kWidth, LowHalves(sum[p][2 * v], sum[p][2 * v + 1]));
      if (2 * p + 1 == kRows) continue;
      vst1q_s32(to + kMaxQuantWidth + v * kWidth, HighHalves(sum[p][2 * v], sum[p][2 * v + 1]));
    }
  }
}

// Up to eight products of each row.
template <bool kSigned, int kRows, int kVectors>
inline void AddGroup(const uint8_t* const* a, int64_t k, int64_t count, const int8_t* b,
                     Sums<kRows, kVectors>& sum) {
  int8x16_t right[2 * kVectors];
  FERRY_UNROLL
  for (int c = 0; c < 2 * kVectors; ++c) right[c] = vld1q_s8(b + c * 16);
  FERRY_UNROLL
  for (int p = 0; p < (kRows + 1) / 2; ++p) {
    const uint8x16_t left = TwoRows(a[2 * p] + k, a[SecondOf<kRows>(p)] + k, count);
    FERRY_UNROLL
    for (int c = 0; c < 2 * kVectors; ++c) {
      sum[p][c] = AddProducts<kSigned>(sum[p][c], left, right[c]);
    }
  }
}

template <bool kSigned, int kRows, int kVectors>
void PairTile(const QuantTile& t) {
  Sums<kRows, kVectors> sum;
  LoadSums<kRows, kVectors>(t, sum);
  constexpr int64_t kStep = kVectors * kWidth * kGroup;
  const int8_t* b = t.b;
  const uint8_t* const* a = t.a;
  for (int64_t tap = 0; tap < t.taps; ++tap, a += kRows) {
    int64_t k = 0;
    for (; k + kGroup <= t.depth; k += kGroup, b += kStep) {
      AddGroup<kSigned, kRows, kVectors>(a, k, kGroup, b, sum);
    }
    if (k < t.depth) {
      AddGroup<kSigned, kRows, kVectors>(a, k, t.depth - k, b, sum);
      b += kStep;
    }
  }
  StoreSums<kRows, kVectors>(t, sum);
}

}  // namespace

#define FERRY_TILES(s, v)                                                                \
  {                                                                                      \
    nullptr, PairTile<s, 1, v>, PairTile<s, 2, v>, PairTile<s, 3, v>, PairTile<s, 4, v>, \
        PairTile<s, 5, v>, PairTile<s, 6, v>, PairTile<s, 7, v>, PairTile<s, 8, v>,      \
        PairTile<s, 9, v>, PairTile<s, 10, v>                                            \
  }
// 5 x 4 sums of pairs, 4 registers of B and one of A for each pair: 29 of 32 registers.
const QuantKernels kQuantI8mm = {10,
                                 kWidth,
                                 2,
                                 {{{}, FERRY_TILES(false, 1), FERRY_TILES(false, 2)},
                                  {{}, FERRY_TILES(true, 1), FERRY_TILES(true, 2)}},
                                 FERRY_QUANT_SHARED,
                                 kGroup,
                                 {0, 0}};
#undef FERRY_TILES

}  // namespace ferry::kernels
