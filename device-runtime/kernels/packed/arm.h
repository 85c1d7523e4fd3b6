// What the packed files of ARM share: codes of 16 rows in four registers, numbers, and activations
// to 8 bits. Included by neon.cc, dotprod.cc and i8mm.cc, never elsewhere.
#pragma once

#include <arm_neon.h>

#include "device-runtime/kernels/packed/kernels.h"

#define FERRY_UNROLL _Pragma("GCC unroll 64")

namespace ferry::kernels {
namespace {

struct Codes {
  uint8x16_t v[4];
};
struct Ints {
  int32x4_t v[4];
};
struct Floats {
  float32x4_t v[4];
};

// Of each of the four registers.
#define FERRY_EACH(type, expression)                    \
  type result;                                          \
  FERRY_UNROLL                                          \
  for (int i = 0; i < 4; ++i) result.v[i] = expression; \
  return result

inline Codes LoadCodes(const uint8_t* p) {
  FERRY_EACH(Codes, vld1q_u8(p + 16 * i));
}
inline void StoreCodes(uint8_t* p, Codes x) {
  FERRY_UNROLL
  for (int i = 0; i < 4; ++i) vst1q_u8(p + 16 * i, x.v[i]);
}
template <int kShift, int kMask>
inline Codes Field(Codes x) {
  if constexpr (kShift == 0) {
    FERRY_EACH(Codes, vandq_u8(x.v[i], vdupq_n_u8(kMask)));
  } else {
    FERRY_EACH(Codes, vandq_u8(vshrq_n_u8(x.v[i], kShift), vdupq_n_u8(kMask)));
  }
}
// Bit kBit of each byte of `upper` as bit 2.
template <int kBit>
inline Codes WithUpperBit(Codes lower, Codes upper) {
  const int8x16_t move = vdupq_n_s8(2 - kBit);
  FERRY_EACH(Codes, vorrq_u8(lower.v[i], vandq_u8(vshlq_u8(upper.v[i], move), vdupq_n_u8(4))));
}
// Codes as signed bytes: those of 8 bits as they are meant, others as stored.
struct SignedCodes {
  int8x16_t v[4];
};
template <int kBits>
inline SignedCodes Prepare(Codes x) {
  if constexpr (kBits == 8) {
    FERRY_EACH(SignedCodes, vreinterpretq_s8_u8(veorq_u8(x.v[i], vdupq_n_u8(0x80))));
  } else {
    FERRY_EACH(SignedCodes, vreinterpretq_s8_u8(x.v[i]));
  }
}
inline int32x4_t FourBytes(const uint8_t* p) {
  int32_t four;
  __builtin_memcpy(&four, p, sizeof four);
  return vdupq_n_s32(four);
}

using Sums = Ints;
template <int kBits>
constexpr int64_t kRunChunks = 0;
template <int kRows>
constexpr int kChains = 1;

inline Ints SetInts(int32_t x) {
  FERRY_EACH(Ints, vdupq_n_s32(x));
}
inline Ints AddInts(Ints x, Ints y) {
  FERRY_EACH(Ints, vaddq_s32(x.v[i], y.v[i]));
}
inline Sums NoSums() {
  return SetInts(0);
}
// Stored codes of fewer bits than 8 are 2^(bits - 1) too large: that many times the sum of x is
// taken off beforehand.
template <int kBits>
inline Sums StartGroup(const uint8_t* negative) {
  if constexpr (kBits == 8) return NoSums();
  const int32x4_t start = vshlq_n_s32(FourBytes(negative), kBits - 1);
  return {start, start, start, start};
}
template <int kBits>
inline void StartChunk(const uint8_t*, Sums*) {}
inline void AddSums(Sums* a, Sums b) {
  *a = AddInts(*a, b);
}
template <int kBits>
inline Ints Widen(Sums x) {
  return x;
}

template <int kByte>
inline Ints ByteOf(Codes x) {
  const int32x4_t move = vdupq_n_s32(-8 * kByte);
  const uint32x4_t mask = vdupq_n_u32(255);
  FERRY_EACH(Ints,
             vreinterpretq_s32_u32(vandq_u32(vshlq_u32(vreinterpretq_u32_u8(x.v[i]), move), mask)));
}
inline Floats ToFloats(Ints x) {
  FERRY_EACH(Floats, vcvtq_f32_s32(x.v[i]));
}
inline Floats SetFloats(float x) {
  FERRY_EACH(Floats, vdupq_n_f32(x));
}
inline Floats LoadFloats(const float* p) {
  FERRY_EACH(Floats, vld1q_f32(p + 4 * i));
}
inline void StoreFloats(float* p, Floats x) {
  FERRY_UNROLL
  for (int i = 0; i < 4; ++i) vst1q_f32(p + 4 * i, x.v[i]);
}
inline Floats AddFloats(Floats x, Floats y) {
  FERRY_EACH(Floats, vaddq_f32(x.v[i], y.v[i]));
}
inline Floats MulFloats(Floats x, Floats y) {
  FERRY_EACH(Floats, vmulq_f32(x.v[i], y.v[i]));
}
inline Floats FmaFloats(Floats x, Floats y, Floats z) {
  FERRY_EACH(Floats, vfmaq_f32(z.v[i], x.v[i], y.v[i]));
}
inline Floats Everywhere(const uint8_t* p) {
  float x;
  __builtin_memcpy(&x, p, sizeof x);
  return SetFloats(x);
}
inline uint16x4_t FourHalves(const uint8_t* p) {
  return vreinterpret_u16_u8(vld1_u8(p));
}
inline Floats LoadNumbers(PackedScale type, const uint8_t* p) {
  if (type == PackedScale::kF32) {
    FERRY_EACH(Floats, vreinterpretq_f32_u8(vld1q_u8(p + 16 * i)));
  }
  if (type == PackedScale::kBF16) {
    FERRY_EACH(Floats, vreinterpretq_f32_u32(vshll_n_u16(FourHalves(p + 8 * i), 16)));
  }
  FERRY_EACH(Floats, vcvt_f32_f16(vreinterpret_f16_u16(FourHalves(p + 8 * i))));
}
inline Floats LoadBytes(const uint8_t* p) {
  const int8x16_t bytes = vreinterpretq_s8_u8(vld1q_u8(p));
  const int16x8_t low = vmovl_s8(vget_low_s8(bytes));
  const int16x8_t high = vmovl_high_s8(bytes);
  return {vcvtq_f32_s32(vmovl_s16(vget_low_s16(low))), vcvtq_f32_s32(vmovl_high_s16(low)),
          vcvtq_f32_s32(vmovl_s16(vget_low_s16(high))), vcvtq_f32_s32(vmovl_high_s16(high))};
}
#undef FERRY_EACH

// The largest of `bits` and the chunk's magnitudes, as bits.
inline uint32_t LargestBits(const float* x, uint32_t bits) {
  uint32x4_t most = vdupq_n_u32(bits);
  for (int i = 0; i < kPackedChunk; i += 4) {
    const uint32x4_t v = vreinterpretq_u32_f32(vld1q_f32(x + i));
    most = vmaxq_u32(most, vandq_u32(v, vdupq_n_u32(0x7fffffff)));
  }
  return vmaxvq_u32(most);
}
inline int16x8_t EightCodes(const float* x, float32x4_t factor) {
  const int32x4_t low = vcvtnq_s32_f32(vmulq_f32(vld1q_f32(x), factor));
  const int32x4_t high = vcvtnq_s32_f32(vmulq_f32(vld1q_f32(x + 4), factor));
  return vcombine_s16(vmovn_s32(low), vmovn_s32(high));
}
inline void CodesOfChunk(const float* x, float factor, int8_t* codes) {
  const float32x4_t f = vdupq_n_f32(factor);
  for (int i = 0; i < kPackedChunk; i += 8) vst1_s8(codes + i, vmovn_s16(EightCodes(x + i, f)));
}
// The sums of columns 0 and 1 (low half) and of columns 2 and 3 of the chunk's steps.
inline int32_t PairsOfChunk(const int8_t* codes) {
  const int16x8_t sum = vaddq_s16(vpaddlq_s8(vld1q_s8(codes)), vpaddlq_s8(vld1q_s8(codes + 16)));
  const int16x4_t half = vadd_s16(vget_low_s16(sum), vget_high_s16(sum));
  const int16x4_t pair = vadd_s16(half, vext_s16(half, half, 2));
  return vget_lane_s32(vreinterpret_s32_s16(pair), 0);
}

}  // namespace
}  // namespace ferry::kernels

#include "device-runtime/kernels/packed/quantize_row.h"
