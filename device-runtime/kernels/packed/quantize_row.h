// One row of activations to 8 bits, over a chunk at a time. Included by <isa>.cc after
// LargestBits, CodesOfChunk and PairsOfChunk, never elsewhere.
#pragma once

#include "device-runtime/kernels/packed/kernels.h"

namespace ferry::kernels {
namespace {

constexpr uint32_t kInfinityBits = 0x7f800000;
constexpr uint32_t kTinyBits = 0x0d800000;  // 2^-100

// A chunk of the row with zeros behind its last column: where it lies, or a copy.
inline const float* ChunkOf(const QuantizeRowTask& t, int64_t chunk, float (&copy)[kPackedChunk]) {
  const float* from = t.x + chunk * kPackedChunk;
  const int64_t left = t.columns - chunk * kPackedChunk;
  if (left >= kPackedChunk) return from;
  for (int64_t i = 0; i < kPackedChunk; ++i) copy[i] = i < left ? from[i] : 0.0f;
  return copy;
}

// Scale and factor of numbers whose largest magnitude has these bits.
inline float ScaleOf(uint32_t bits, float* factor) {
  *factor = 0;
  if (bits >= kInfinityBits) return __builtin_nanf("");
  if (bits < kTinyBits) return 0;
  float largest;
  __builtin_memcpy(&largest, &bits, sizeof largest);
  *factor = 127.0f / largest;
  return largest / 127.0f;
}

// Chunks [begin, end) of the row by one factor; returns the sum of their codes.
inline int32_t QuantizeChunks(const QuantizeRowTask& t, int64_t begin, int64_t end, float factor) {
  int32_t sum = 0;
  float copy[kPackedChunk];
  for (int64_t c = begin; c < end; ++c) {
    int8_t* codes = t.codes + c * kPackedChunk;
    if (factor == 0) {
      __builtin_memset(codes, 0, kPackedChunk);
      t.pairs[c] = 0;
      continue;
    }
    CodesOfChunk(ChunkOf(t, c, copy), factor, codes);
    const auto pair = static_cast<uint32_t>(PairsOfChunk(codes));
    const auto low = static_cast<int16_t>(pair & 0xffff);
    const auto high = static_cast<int16_t>(pair >> 16);
    sum += low + high;
    t.pairs[c] = static_cast<int32_t>(static_cast<uint16_t>(-low) |
                                      uint32_t{static_cast<uint16_t>(-high)} << 16);
  }
  return sum;
}

[[maybe_unused]] void QuantizeRow(const QuantizeRowTask& t) {
  const int64_t chunks = t.groups * t.group_chunks;
  float copy[kPackedChunk];
  float factor = 0;
  float scale = 0;
  if (!t.group_scales) {
    uint32_t bits = 0;
    for (int64_t c = 0; c < chunks && c * kPackedChunk < t.columns; ++c) {
      bits = LargestBits(ChunkOf(t, c, copy), bits);
    }
    scale = ScaleOf(bits, &factor);
  }
  for (int64_t g = 0; g < t.groups; ++g) {
    const int64_t begin = g * t.group_chunks;
    const int64_t end = begin + t.group_chunks;
    if (t.group_scales) {
      uint32_t bits = 0;
      for (int64_t c = begin; c < end && c * kPackedChunk < t.columns; ++c) {
        bits = LargestBits(ChunkOf(t, c, copy), bits);
      }
      scale = ScaleOf(bits, &factor);
    }
    const int32_t sum = QuantizeChunks(t, begin, end, factor);
    t.scales[g] = scale;
    t.sums[g] = t.group_scales ? static_cast<float>(sum) * scale : static_cast<float>(sum);
    t.negative[g] = -sum;
  }
}

}  // namespace
}  // namespace ferry::kernels
