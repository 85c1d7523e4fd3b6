// Integers in registers of NEON: what vector.h needs beside simd/neon.h.
#pragma once

#include "device-runtime/kernels/quant/kernels.h"
#include "device-runtime/kernels/simd/neon.h"

namespace ferry::kernels {
namespace {

constexpr int kByteWidth = 16;

struct Ints {
  int32x4_t v;
};
struct Bytes {
  uint8x16_t v;
};
inline Ints LoadInts(const int32_t* p) {
  return {vld1q_s32(p)};
}
inline void StoreInts(int32_t* p, Ints x) {
  vst1q_s32(p, x.v);
}
inline void StorePart(int32_t* p, Ints x, int64_t count) {
  if (count >= kWidth) return vst1q_s32(p, x.v);
  int32_t lanes[kWidth];
  vst1q_s32(lanes, x.v);
  for (int64_t i = 0; i < count; ++i) p[i] = lanes[i];
}
inline Ints SetInts(int32_t x) {
  return {vdupq_n_s32(x)};
}
inline Ints AddInts(Ints a, Ints b) {
  return {vaddq_s32(a.v, b.v)};
}
inline Vec ToFloats(Ints x) {
  return {vcvtq_f32_s32(x.v)};
}
inline Ints ToInts(Vec x) {  // halves to even
  return {vcvtnq_s32_f32(x.v)};
}

inline uint8x8_t Eight(const uint8_t* p, int64_t count) {
  if (count >= 8) return vld1_u8(p);
  uint64_t x = 0;
  memcpy(&x, p, static_cast<size_t>(count));
  return vcreate_u8(x);
}
template <bool kSigned>
inline int16x8_t Wide(uint8x8_t x) {
  return kSigned ? vmovl_s8(vreinterpret_s8_u8(x)) : vreinterpretq_s16_u16(vmovl_u8(x));
}
template <bool kSigned>
inline Ints IntsOf(const uint8_t* p, int64_t count) {
  uint32_t four = 0;
  memcpy(&four, p, static_cast<size_t>(count >= kWidth ? kWidth : count));
  return {vmovl_s16(vget_low_s16(Wide<kSigned>(vcreate_u8(four))))};
}
template <bool kSigned>
inline Vec LoadBytes(const uint8_t* p, int64_t count) {
  return ToFloats(IntsOf<kSigned>(p, count));
}
// Elements fit a byte.
inline void StoreBytes(uint8_t* p, Ints x, int64_t count) {
  const uint16x4_t halves = vmovn_u32(vreinterpretq_u32_s32(x.v));
  const uint8x8_t bytes = vmovn_u16(vcombine_u16(halves, halves));
  const uint32_t four = vget_lane_u32(vreinterpret_u32_u8(bytes), 0);
  memcpy(p, &four, static_cast<size_t>(count >= kWidth ? kWidth : count));
}

// Channels that a depthwise step takes, and their sums.
constexpr int kBlock = 8;
struct BlockSums {
  int32x4_t a, b;
};
inline BlockSums LoadBlock(const int32_t* p) {
  return {vld1q_s32(p), vld1q_s32(p + 4)};
}
inline void StoreBlock(int32_t* p, BlockSums x) {
  vst1q_s32(p, x.a);
  vst1q_s32(p + 4, x.b);
}
// Weights of two taps: two 16-bit numbers for each channel, taken apart.
inline int16x8x2_t LoadPairs(const int16_t* weight) {
  return vld2q_s16(weight);
}
// sums + a * w + b * w', of the first `count` channels.
template <bool kSigned>
inline BlockSums AddPairs(BlockSums sums, const uint8_t* a, const uint8_t* b, int64_t count,
                          int16x8x2_t w) {
  const int16x8_t x = Wide<kSigned>(Eight(a, count));
  const int16x8_t y = Wide<kSigned>(Eight(b, count));
  sums.a = vmlal_s16(sums.a, vget_low_s16(x), vget_low_s16(w.val[0]));
  sums.b = vmlal_high_s16(sums.b, x, w.val[0]);
  sums.a = vmlal_s16(sums.a, vget_low_s16(y), vget_low_s16(w.val[1]));
  sums.b = vmlal_high_s16(sums.b, y, w.val[1]);
  return sums;
}

inline Bytes LoadAll(const uint8_t* p, int64_t count) {
  if (count >= kByteWidth) return {vld1q_u8(p)};
  uint8_t part[kByteWidth] = {};
  memcpy(part, p, static_cast<size_t>(count));
  return {vld1q_u8(part)};
}
inline void StoreAll(uint8_t* p, Bytes x, int64_t count) {
  if (count >= kByteWidth) return vst1q_u8(p, x.v);
  uint8_t part[kByteWidth];
  vst1q_u8(part, x.v);
  memcpy(p, part, static_cast<size_t>(count));
}
template <bool kSigned>
inline Bytes MaxBytes(Bytes a, Bytes b) {
  if (!kSigned) return {vmaxq_u8(a.v, b.v)};
  return {vreinterpretq_u8_s8(vmaxq_s8(vreinterpretq_s8_u8(a.v), vreinterpretq_s8_u8(b.v)))};
}

struct ByteTable {
  explicit ByteTable(const uint8_t* entries) {
    for (int i = 0; i < 4; ++i) {
      for (int k = 0; k < 4; ++k) quarters[i].val[k] = vld1q_u8(entries + 64 * i + 16 * k);
    }
  }
  Bytes Of(Bytes x) const {
    const uint8x16_t step = vdupq_n_u8(64);
    uint8x16_t index = x.v;
    uint8x16_t y = vqtbl4q_u8(quarters[0], index);
    for (int i = 1; i < 4; ++i) {
      index = vsubq_u8(index, step);
      y = vqtbx4q_u8(y, quarters[i], index);
    }
    return {y};
  }
  uint8x16x4_t quarters[4];
};

}  // namespace
}  // namespace ferry::kernels
