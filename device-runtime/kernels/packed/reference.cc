#include <cmath>
#include <cstring>

#include "device-runtime/kernels/packed/kernels.h"
#include "device-runtime/tensor/dtype.h"

namespace ferry::kernels {
namespace {

constexpr int64_t kStepBytes = 64;

float NumberAt(PackedScale type, const uint8_t* from, int64_t index) {
  if (type == PackedScale::kF32) {
    float value;
    std::memcpy(&value, from + index * 4, sizeof value);
    return value;
  }
  uint16_t bits;
  std::memcpy(&bits, from + index * 2, sizeof bits);
  return type == PackedScale::kF16 ? tensor::HalfToFloat(bits) : tensor::BFloat16ToFloat(bits);
}

template <typename Strip>
float ShiftAt(const Strip& s, int64_t index) {
  if (s.shift == PackedShift::kNone) return 0;
  if (s.shift == PackedShift::kNumber) return NumberAt(s.scale, s.shifts, index);
  const auto zero = static_cast<float>(static_cast<int8_t>(s.shifts[index]));
  return NumberAt(s.scale, s.scales, index) * (zero * -std::ldexp(1.0f, s.bits - 8));
}

// The code of a row of the tile at column k.
template <typename Strip>
int32_t CodeAt(const Strip& s, int64_t row, int64_t k) {
  const uint8_t* chunk = s.codes + k / kPackedChunk * s.chunk_bytes;
  const int64_t step = k % kPackedChunk / kPackedStep;
  const int64_t byte = row * kPackedStep + k % kPackedStep;
  switch (s.bits) {
    case 8:
      return chunk[step * kStepBytes + byte] - 128;
    case 4:
      return (chunk[step / 2 * kStepBytes + byte] >> step % 2 * 4 & 15) - 8;
    case 3: {
      const int lower = chunk[step / 4 * kStepBytes + byte] >> step % 4 * 2 & 3;
      return (lower | (chunk[2 * kStepBytes + byte] >> step & 1) << 2) - 4;
    }
    default:
      return (chunk[step / 4 * kStepBytes + byte] >> step % 4 * 2 & 3) - 2;
  }
}

float FloatAt(const uint8_t* from, int64_t index) {
  float value;
  std::memcpy(&value, from + index * 4, sizeof value);
  return value;
}

float Product(const PackedStrip& s, int64_t row, const uint8_t* x) {
  float total = 0;
  const int64_t columns = s.group_chunks * kPackedChunk;
  for (int64_t g = 0; g < s.groups; ++g) {
    int32_t dot = 0;
    for (int64_t k = g * columns; k < (g + 1) * columns; ++k) {
      dot += CodeAt(s, row, k) * static_cast<int8_t>(x[k]);
    }
    auto part = static_cast<float>(dot);
    if (s.group_scales) part *= FloatAt(x + s.scales_at, g);
    const int64_t at = g * kPackedTileRows + row;
    total = std::fma(part, NumberAt(s.scale, s.scales, at), total);
    if (s.shift == PackedShift::kNone) continue;
    total = std::fma(FloatAt(x + s.sums_at, g), ShiftAt(s, at), total);
  }
  return s.group_scales ? total : total * FloatAt(x + s.scales_at, 0);
}

void EachRow(const PackedStrip& s) {
  for (int64_t m = 0; m < s.m; ++m) {
    for (int64_t row = 0; row < s.rows; ++row) {
      const int64_t at = m * s.out_stride + row;
      const float value = Product(s, row, s.x + m * s.x_stride);
      s.out[at] = s.add != nullptr ? value + s.add[at] : value;
    }
  }
}

void ExactRows(const PackedExactStrip& s) {
  const int64_t group_columns = s.group_chunks * kPackedChunk;
  for (int64_t m = 0; m < s.m; ++m) {
    for (int64_t row = 0; row < s.rows; ++row) {
      float sum[kPackedStep] = {};
      for (int64_t k = 0; k < s.columns; ++k) {
        const int64_t at = k / group_columns * kPackedTileRows + row;
        const float value = std::fma(static_cast<float>(CodeAt(s, row, k)),
                                     NumberAt(s.scale, s.scales, at), ShiftAt(s, at));
        sum[k % kPackedStep] = std::fma(s.x[m * s.x_stride + k], value, sum[k % kPackedStep]);
      }
      const int64_t at = m * s.out_stride + row;
      const float value = (sum[0] + sum[1]) + (sum[2] + sum[3]);
      s.out[at] = s.add != nullptr ? value + s.add[at] : value;
    }
  }
}

inline uint32_t LargestBits(const float* x, uint32_t bits) {
  for (int64_t i = 0; i < kPackedChunk; ++i) {
    uint32_t magnitude;
    std::memcpy(&magnitude, x + i, sizeof magnitude);
    magnitude &= 0x7fffffff;
    if (magnitude > bits) bits = magnitude;
  }
  return bits;
}
inline void CodesOfChunk(const float* x, float factor, int8_t* codes) {
  for (int64_t i = 0; i < kPackedChunk; ++i) {
    codes[i] = static_cast<int8_t>(std::lrint(x[i] * factor));
  }
}
inline int32_t PairsOfChunk(const int8_t* codes) {
  int32_t low = 0;
  int32_t high = 0;
  for (int64_t i = 0; i < kPackedChunk; i += kPackedStep) {
    low += codes[i] + codes[i + 1];
    high += codes[i + 2] + codes[i + 3];
  }
  return static_cast<int32_t>((static_cast<uint32_t>(low) & 0xffff) | static_cast<uint32_t>(high)
                                                                          << 16);
}

}  // namespace
}  // namespace ferry::kernels

#include "device-runtime/kernels/packed/quantize_row.h"

namespace ferry::kernels {

#define FERRY_FEW \
  { nullptr, EachRow, EachRow, EachRow, EachRow, EachRow, EachRow, EachRow, EachRow }
const PackedKernels kPackedReference = {kMaxPackedFew,
                                        {FERRY_FEW, FERRY_FEW, FERRY_FEW, FERRY_FEW},
                                        {nullptr, nullptr, nullptr, nullptr},
                                        {},
                                        ExactRows,
                                        QuantizeRow};
#undef FERRY_FEW

}  // namespace ferry::kernels
