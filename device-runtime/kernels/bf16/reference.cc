#include <cmath>
#include <cstring>

#include "device-runtime/kernels/bf16/kernels.h"

namespace ferry::kernels {
namespace {

constexpr int kColumns = 8;

float Flushed(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

float Widen(uint32_t upper_half) {
  const uint32_t bits = upper_half << 16;
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return Flushed(x);
}

// std::fma's results that are denormal before they are rounded to the smallest normal number differ
// from the instruction's by that number at most.
float AddPair(float sum, const float* a, const float* b) {
  uint32_t left, right;
  std::memcpy(&left, a, sizeof left);
  std::memcpy(&right, b, sizeof right);
  sum = Flushed(std::fma(Widen(left >> 16), Widen(right >> 16), Flushed(sum)));
  return Flushed(std::fma(Widen(left & 0xffff), Widen(right & 0xffff), sum));
}

void FinishRow(const TileArgs& t, int r, const float* sum) {
  for (int64_t j = 0; j < t.columns; ++j) {
    float x = sum[j];
    if (t.finish) {
      if (t.bias != nullptr) x += t.bias[j];
      if (t.add != nullptr) x += t.add[r * t.add_stride + j];
      x = x < t.low ? t.low : x;
      x = x > t.high ? t.high : x;
    }
    t.c[r * t.c_stride + j] = x;
  }
}

template <int kRows>
void Tile(const TileArgs& t) {
  float sum[kRows][kColumns] = {};
  if (t.accumulate) {
    for (int r = 0; r < kRows; ++r) {
      for (int64_t j = 0; j < t.columns; ++j) sum[r][j] = t.c[r * t.c_stride + j];
    }
  }
  const float* b = t.b;
  for (int64_t tap = 0; tap < t.taps; ++tap) {
    const float* const* a = t.a + tap * kRows;
    for (int64_t k = 0; k < t.depth; ++k, b += kColumns) {
      for (int r = 0; r < kRows; ++r) {
        for (int j = 0; j < kColumns; ++j) sum[r][j] = AddPair(sum[r][j], a[r] + k, b + j);
      }
    }
  }
  for (int r = 0; r < kRows; ++r) FinishRow(t, r, sum[r]);
}

void Round(const float* x, int64_t count, uint16_t* y) {
  for (int64_t i = 0; i < count; ++i) {
    const float number = Flushed(x[i]);
    uint32_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    const bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
    const uint32_t rounded = is_nan ? bits | 0x400000 : bits + 0x7fff + (bits >> 16 & 1);
    y[i] = static_cast<uint16_t>(rounded >> 16);
  }
}

}  // namespace

const Bf16Kernels kBf16Reference = {
    false, {4, kColumns, 1, {{}, {nullptr, Tile<1>, Tile<2>, Tile<3>, Tile<4>}}}, Round};

}  // namespace ferry::kernels
