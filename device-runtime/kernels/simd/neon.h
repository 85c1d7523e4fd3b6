// One register of floats with NEON, as every 64-bit ARM processor has it. Only neon.cc files
// include this. The same names as simd/avx2.h: the families' vector.h is written once over them.
#pragma once

#include <arm_neon.h>

#include <cstdint>
#include <cstring>

#include "device-runtime/kernels/simd/half.h"

// Before a loop of a constant count over registers: unrolled wholly, or -O2 keeps them in memory.
#define FERRY_UNROLL _Pragma("GCC unroll 64")

namespace ferry::kernels {
namespace {

constexpr int kWidth = 4;
constexpr int kRegisters = 32;

struct Vec {
  float32x4_t v;
};

// Lanes below `count` all ones.
inline uint32x4_t FirstLanes(int64_t count) {
  static constexpr int32_t kLanes[kWidth] = {0, 1, 2, 3};
  const auto limit = static_cast<int32_t>(count >= kWidth ? kWidth : count);
  return vcltq_s32(vld1q_s32(kLanes), vdupq_n_s32(limit));
}

inline Vec Zero() {
  return {vdupq_n_f32(0)};
}
inline Vec Set(float x) {
  return {vdupq_n_f32(x)};
}
inline Vec Load(const float* p) {
  return {vld1q_f32(p)};
}
inline void Store(float* p, Vec x) {
  vst1q_f32(p, x.v);
}
// Stored weights widened exactly. bfloat16 is the upper half of a float32.
inline Vec Load(const uint16_t* p) {
  return {vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p), 16))};
}
inline Vec Load(const Half* p) {
  return {vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(reinterpret_cast<const uint16_t*>(p))))};
}
inline Vec Load(const int8_t* p) {
  int32_t four;
  memcpy(&four, p, sizeof four);
  const int16x8_t halves = vmovl_s8(vreinterpret_s8_s32(vdup_n_s32(four)));
  return {vcvtq_f32_s32(vmovl_s16(vget_low_s16(halves)))};
}
// IEEE 754 half precision.
inline Vec LoadHalf(const uint16_t* p) {
  return {vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)))};
}
// The first `count` lanes, the others 0; reads nothing behind them. There are no masked loads: they
// go through a register's worth of zeros.
template <typename T>
inline Vec LoadPart(const T* p, int64_t count) {
  if (count >= kWidth) return Load(p);
  T first[kWidth] = {};
  for (int64_t i = 0; i < count; ++i) first[i] = p[i];
  return Load(first);
}
inline void StorePart(float* p, Vec x, int64_t count) {
  if (count >= kWidth) {
    vst1q_f32(p, x.v);
    return;
  }
  float lanes[kWidth];
  vst1q_f32(lanes, x.v);
  for (int64_t i = 0; i < count; ++i) p[i] = lanes[i];
}
// Two registers, one after the other.
template <typename T>
inline void LoadPair(const T* p, Vec* a, Vec* b) {
  *a = Load(p);
  *b = Load(p + kWidth);
}
inline void LoadPair(const uint16_t* p, Vec* a, Vec* b) {
  const uint16x8_t bits = vld1q_u16(p);
  a->v = vreinterpretq_f32_u32(vshll_n_u16(vget_low_u16(bits), 16));
  b->v = vreinterpretq_f32_u32(vshll_high_n_u16(bits, 16));
}
inline void LoadPair(const int8_t* p, Vec* a, Vec* b) {
  const int16x8_t halves = vmovl_s8(vld1_s8(p));
  a->v = vcvtq_f32_s32(vmovl_s16(vget_low_s16(halves)));
  b->v = vcvtq_f32_s32(vmovl_high_s16(halves));
}
// x in a register: the compiler may not load it again at each use.
inline Vec Kept(Vec x) {
  asm("" : "+w"(x.v));
  return x;
}
inline float First(Vec x) {  // lane 0
  return vgetq_lane_f32(x.v, 0);
}
// The first `count` lanes of a, the others of b.
inline Vec SelectFirst(int64_t count, Vec a, Vec b) {
  return {vbslq_f32(FirstLanes(count), a.v, b.v)};
}

inline Vec Add(Vec a, Vec b) {
  return {vaddq_f32(a.v, b.v)};
}
inline Vec Sub(Vec a, Vec b) {
  return {vsubq_f32(a.v, b.v)};
}
inline Vec Mul(Vec a, Vec b) {
  return {vmulq_f32(a.v, b.v)};
}
inline Vec Div(Vec a, Vec b) {
  return {vdivq_f32(a.v, b.v)};
}
// 1 / d for normal d below 2^126; estimates are too coarse here.
inline Vec Reciprocal(Vec d) {
  return Div({vdupq_n_f32(1.0f)}, d);
}
inline Vec Fma(Vec a, Vec b, Vec c) {  // a * b + c, rounded once
  return {vfmaq_f32(c.v, a.v, b.v)};
}
inline Vec Fnma(Vec a, Vec b, Vec c) {  // c - a * b, rounded once
  return {vfmsq_f32(c.v, a.v, b.v)};
}
// b when either is NaN, as on x86 (the instruction FMAX would give NaN).
inline Vec Max(Vec a, Vec b) {
  return {vbslq_f32(vcgtq_f32(a.v, b.v), a.v, b.v)};
}
inline Vec Min(Vec a, Vec b) {
  return {vbslq_f32(vcltq_f32(a.v, b.v), a.v, b.v)};
}
inline Vec Sqrt(Vec a) {
  return {vsqrtq_f32(a.v)};
}
inline Vec Abs(Vec a) {
  return {vabsq_f32(a.v)};
}
inline Vec Nearest(Vec a) {  // halves to even
  return {vrndnq_f32(a.v)};
}
inline Vec Down(Vec a) {
  return {vrndmq_f32(a.v)};
}
// magnitude's bits with sign's sign.
inline Vec CopySign(Vec magnitude, Vec sign) {
  return {vbslq_f32(vdupq_n_u32(0x80000000u), sign.v, magnitude.v)};
}
// a < b ? yes : no; no when either is NaN.
inline Vec IfLess(Vec a, Vec b, Vec yes, Vec no) {
  return {vbslq_f32(vcltq_f32(a.v, b.v), yes.v, no.v)};
}
// Whether a lane of a is above that of b.
inline bool AnyAbove(Vec a, Vec b) {
  return vmaxvq_u32(vcgtq_f32(a.v, b.v)) != 0;
}
inline Vec IfNan(Vec a, Vec yes, Vec no) {
  return {vbslq_f32(vceqq_f32(a.v, a.v), no.v, yes.v)};
}
// 2^n for whole n in [-126, 127].
inline Vec PowerOfTwo(Vec n) {
  const int32x4_t biased = vaddq_s32(vcvtq_s32_f32(n.v), vdupq_n_s32(127));
  return {vreinterpretq_f32_s32(vshlq_n_s32(biased, 23))};
}
// x * 2^n for whole n in [-252, 254]: in two factors, since either alone may leave the range.
inline Vec TimesPowerOfTwo(Vec x, Vec n) {
  const Vec half = Down(Mul(n, Set(0.5f)));
  return Mul(Mul(x, PowerOfTwo(half)), PowerOfTwo(Sub(n, half)));
}
// The same for n from -126 to 127.
inline Vec TimesNormalPower(Vec x, Vec n) {
  return Mul(x, PowerOfTwo(n));
}
// For normal x > 0: x = mantissa * 2^result with the mantissa in [0.5, 1).
inline Vec SplitExponent(Vec x, Vec* mantissa) {
  const uint32x4_t bits = vreinterpretq_u32_f32(x.v);
  const int32x4_t exponent =
      vsubq_s32(vreinterpretq_s32_u32(vshrq_n_u32(bits, 23)), vdupq_n_s32(126));
  mantissa->v = vreinterpretq_f32_u32(
      vorrq_u32(vandq_u32(bits, vdupq_n_u32(0x007fffff)), vdupq_n_u32(0x3f000000)));
  return {vcvtq_f32_s32(exponent)};
}

// Neighbours joined, then the two results: the same fixed order for all.
inline float SumLanes(Vec a) {
  const float32x4_t pairs = vpaddq_f32(a.v, a.v);
  return vgetq_lane_f32(vpaddq_f32(pairs, pairs), 0);
}
inline float ProductLanes(Vec a) {
  const float32x2_t pairs = vmul_f32(vget_low_f32(a.v), vget_high_f32(a.v));
  return vget_lane_f32(pairs, 0) * vget_lane_f32(pairs, 1);
}
// NaN lanes as Max and Min treat them: the upper half is the second operand.
#define FERRY_JOIN_LANES(name, compare)                            \
  inline float name(Vec a) {                                       \
    const float32x2_t low = vget_low_f32(a.v);                     \
    const float32x2_t high = vget_high_f32(a.v);                   \
    const float32x2_t x = vbsl_f32(compare(low, high), low, high); \
    const float32x2_t y = vrev64_f32(x);                           \
    return vget_lane_f32(vbsl_f32(compare(x, y), x, y), 0);        \
  }
FERRY_JOIN_LANES(MaxLanes, vcgt_f32)
FERRY_JOIN_LANES(MinLanes, vclt_f32)
#undef FERRY_JOIN_LANES

// Lane i is SumLanes(v[i]), bit for bit.
inline Vec SumEach(const Vec (&v)[kWidth]) {
  return {vpaddq_f32(vpaddq_f32(v[0].v, v[1].v), vpaddq_f32(v[2].v, v[3].v))};
}

}  // namespace
}  // namespace ferry::kernels
