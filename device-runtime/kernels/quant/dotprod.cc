#include "device-runtime/kernels/quant/arm.h"
#include "device-runtime/kernels/quant/vector.h"

namespace ferry::kernels {
namespace {

// The products are of signed bytes: 128 less makes unsigned ones signed.
template <bool kSigned>
inline int8x16_t LeftOf(uint8x16_t x) {
  return vreinterpretq_s8_u8(kSigned ? x : veorq_u8(x, vdupq_n_u8(0x80)));
}

template <int kRows, int kVectors>
using Sums = int32x4_t[kRows][kVectors];

// Sixteen products of each row: each lane of A meets one group of B.
template <bool kSigned, int kRows, int kVectors>
inline void AddSixteen(const uint8_t* const* a, int64_t k, const int8_t* b,
                       Sums<kRows, kVectors>& sum) {
  int8x16_t right[4][kVectors];
  FERRY_UNROLL
  for (int i = 0; i < 4 * kVectors; ++i) right[i / kVectors][i % kVectors] = vld1q_s8(b + i * 16);
  FERRY_UNROLL
  for (int r = 0; r < kRows; ++r) {
    const int8x16_t left = LeftOf<kSigned>(vld1q_u8(a[r] + k));
    FERRY_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      sum[r][v] = vdotq_laneq_s32(sum[r][v], right[0][v], left, 0);
      sum[r][v] = vdotq_laneq_s32(sum[r][v], right[1][v], left, 1);
      sum[r][v] = vdotq_laneq_s32(sum[r][v], right[2][v], left, 2);
      sum[r][v] = vdotq_laneq_s32(sum[r][v], right[3][v], left, 3);
    }
  }
}

// Up to four products of each row.
template <bool kSigned, int kRows, int kVectors>
inline void AddGroup(const uint8_t* const* a, int64_t k, int64_t count, const int8_t* b,
                     Sums<kRows, kVectors>& sum) {
  FERRY_UNROLL
  for (int r = 0; r < kRows; ++r) {
    const uint32_t bytes = count >= 4 ? FourBytes(a[r] + k) : LastBytes(a[r] + k, count);
    const int8x16_t left = LeftOf<kSigned>(vreinterpretq_u8_u32(vdupq_n_u32(bytes)));
    FERRY_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      sum[r][v] = vdotq_s32(sum[r][v], vld1q_s8(b + v * kByteWidth), left);
    }
  }
}

template <bool kSigned, int kRows, int kVectors>
void DotTile(const QuantTile& t) {
  Sums<kRows, kVectors> sum;
  FERRY_UNROLL
  for (int r = 0; r < kRows; ++r) {
    FERRY_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      sum[r][v] =
          vld1q_s32((t.start != nullptr ? t.start : t.sums + r * kMaxQuantWidth) + v * kWidth);
    }
  }
  constexpr int64_t kStep = int64_t{kVectors} * kByteWidth;
  const int8_t* b = t.b;
  const uint8_t* const* a = t.a;
  for (int64_t tap = 0; tap < t.taps; ++tap, a += kRows) {
    int64_t k = 0;
    for (; k + 16 <= t.depth; k += 16, b += 4 * kStep) {
      AddSixteen<kSigned, kRows, kVectors>(a, k, b, sum);
    }
    for (; k < t.depth; k += 4, b += kStep) {
      AddGroup<kSigned, kRows, kVectors>(a, k, t.depth - k, b, sum);
    }
  }
  FERRY_UNROLL
  for (int r = 0; r < kRows; ++r) {
    FERRY_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      vst1q_s32(t.sums + r * kMaxQuantWidth + v * kWidth, sum[r][v]);
    }
  }
}

}  // namespace

#define FERRY_TILES(s, v)                                                            \
  {                                                                                  \
    nullptr, DotTile<s, 1, v>, DotTile<s, 2, v>, DotTile<s, 3, v>, DotTile<s, 4, v>, \
        DotTile<s, 5, v>, DotTile<s, 6, v>, DotTile<s, 7, v>                         \
  }
// 7 x 2 sums, 4 x 2 groups of B, a register of A for each row and the constant: 30 of 32 registers.
const QuantKernels kQuantDotprod = {7,
                                    kWidth,
                                    2,
                                    {{{}, FERRY_TILES(false, 1), FERRY_TILES(false, 2)},
                                     {{}, FERRY_TILES(true, 1), FERRY_TILES(true, 2)}},
                                    FERRY_QUANT_SHARED,
                                    4,
                                    {-128, 0}};
#undef FERRY_TILES

}  // namespace ferry::kernels
