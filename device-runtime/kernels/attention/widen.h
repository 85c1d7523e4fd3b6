// Narrow numbers of the KV cache in float32, over one register type. Included by vector.h.
#pragma once

#include <cstring>

#include "device-runtime/kernels/attention/page.h"

namespace ferry::kernels {
namespace {

constexpr int kPositions = static_cast<int>(kPagePositions);
constexpr int kPageParts = kPositions / kWidth;  // registers of a number for each position

// `count` numbers, a multiple of 16.
inline void WidenHalves(const uint16_t* from, int64_t count, float* to) {
  for (int64_t i = 0; i < count; i += kWidth) Store(to + i, LoadHalf(from + i));
}

// Sixteen bytes' lower halves and their upper halves.
inline void Nibbles(const uint8_t* from, int8_t* lower, int8_t* upper) {
  uint64_t bytes[2];
  memcpy(bytes, from, sizeof bytes);
  constexpr uint64_t kLower = 0x0f0f0f0f0f0f0f0full;
  const uint64_t low[2] = {bytes[0] & kLower, bytes[1] & kLower};
  const uint64_t high[2] = {bytes[0] >> 4 & kLower, bytes[1] >> 4 & kLower};
  memcpy(lower, low, sizeof low);
  memcpy(upper, high, sizeof high);
}

// A number for each position of a page: scale * whole + least.
inline void WidenPositions(const int8_t* whole, const float* scales, const float* least,
                           float* to) {
  FERRY_UNROLL
  for (int p = 0; p < kPageParts; ++p) {
    const Vec x = Load(whole + p * kWidth);
    const Vec scale = Load(scales + p * kWidth);
    Store(to + p * kWidth,
          least == nullptr ? Mul(x, scale) : Fma(x, scale, Load(least + p * kWidth)));
  }
}

inline void WidenTurned(const KvPart& part, const uint8_t* numbers, const float* scales,
                        float* to) {
  if (part.type == KvType::kQ8) {
    for (int64_t d = 0; d < part.dim; ++d) {
      WidenPositions(reinterpret_cast<const int8_t*>(numbers) + d * kPositions, scales, nullptr,
                     to + d * kPositions);
    }
    return;
  }
  const float* least = scales + kPositions;
  for (int64_t d = 0; d < part.dim; d += 2) {
    int8_t lower[kPositions];
    int8_t upper[kPositions];
    Nibbles(numbers + d / 2 * kPositions, lower, upper);
    WidenPositions(lower, scales, least, to + d * kPositions);
    if (d + 1 < part.dim) WidenPositions(upper, scales, least, to + (d + 1) * kPositions);
  }
}

// `count` numbers of one position.
inline void WidenSpan(const int8_t* whole, int64_t count, float scale, float least, float* to) {
  int64_t i = 0;
  for (; i + kWidth <= count; i += kWidth) {
    Store(to + i, Fma(Load(whole + i), Set(scale), Set(least)));
  }
  if (i < count) {
    StorePart(to + i, Fma(LoadPart(whole + i, count - i), Set(scale), Set(least)), count - i);
  }
}

inline void WidenRow(const KvPart& part, const uint8_t* row, float scale, float least, float* to) {
  if (part.type == KvType::kQ8) {
    return WidenSpan(reinterpret_cast<const int8_t*>(row), part.dim, scale, 0.0f, to);
  }
  const int64_t half = (part.dim + 1) / 2;
  for (int64_t i = 0; i < half; i += kPositions) {
    int8_t lower[kPositions];
    int8_t upper[kPositions];
    const int64_t rest = half - i < kPositions ? half - i : kPositions;
    uint8_t bytes[kPositions] = {};
    memcpy(bytes, row + i, static_cast<size_t>(rest));
    Nibbles(bytes, lower, upper);
    const int64_t second = part.dim - half - i < rest ? part.dim - half - i : rest;
    // The upper half first: the lower one's numbers end where it begins.
    WidenSpan(upper, second, scale, least, to + half + i);
    WidenSpan(lower, rest, scale, least, to + i);
  }
}

// The numbers of one head in a page: where they are, or widened at *room, which moves on.
inline const float* NumbersOf(const KvPart& part, int64_t head, const uint8_t* page, float** room) {
  const uint8_t* numbers = page + part.HeadAt(head);
  if (part.type == KvType::kF32) return reinterpret_cast<const float*>(numbers);
  float* to = *room;
  *room += kPositions * part.dim;
  const auto* scales = reinterpret_cast<const float*>(page + part.ParametersAt(head));
  if (part.type == KvType::kF16) {
    WidenHalves(reinterpret_cast<const uint16_t*>(numbers), kPositions * part.dim, to);
  } else if (part.turned) {
    WidenTurned(part, numbers, scales, to);
  } else {
    const int64_t row_bytes = part.HeadBytes() / kPositions;
    for (int i = 0; i < kPositions; ++i) {
      const float least = part.type == KvType::kQ4 ? scales[kPositions + i] : 0.0f;
      WidenRow(part, numbers + i * row_bytes, scales[i], least, to + i * part.dim);
    }
  }
  return to;
}

}  // namespace
}  // namespace ferry::kernels
