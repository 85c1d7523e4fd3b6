// Rows over one register type. Included by avx2.cc and avx512.cc after their simd header, never
// elsewhere.
#pragma once

#include "device-runtime/kernels/rowwise/kernels.h"
#include "device-runtime/kernels/simd/math.h"

namespace ferry::kernels {
namespace {

void RmsNormRow(const float* x, const float* weight, float eps, int64_t count, float* out) {
  Vec sum = Zero();
  for (int64_t i = 0; i < count; i += kWidth) {
    const Vec part = LoadPart(x + i, count - i);
    sum = Fma(part, part, sum);
  }
  const Vec mean = Set(SumLanes(sum) / static_cast<float>(count) + eps);
  const Vec scale = Div(Set(1.0f), Sqrt(mean));
  for (int64_t i = 0; i < count; i += kWidth) {
    const Vec part = Mul(LoadPart(x + i, count - i), scale);
    StorePart(out + i, Mul(part, LoadPart(weight + i, count - i)), count - i);
  }
}

void RotateRow(const float* cos, const float* sin, int64_t half, float* a, float* b) {
  for (int64_t i = 0; i < half; i += kWidth) {
    const int64_t count = half - i;
    const Vec c = LoadPart(cos + i, count);
    const Vec s = LoadPart(sin + i, count);
    const Vec left = LoadPart(a + i, count);
    const Vec right = LoadPart(b + i, count);
    StorePart(a + i, Fnma(right, s, Mul(left, c)), count);
    StorePart(b + i, Fma(left, s, Mul(right, c)), count);
  }
}

void SiluTimesRow(const float* gate, const float* up, int64_t count, float* out) {
  for (int64_t i = 0; i < count; i += kWidth) {
    const Vec x = LoadPart(gate + i, count - i);
    StorePart(out + i, Mul(Mul(x, Sigmoid(x)), LoadPart(up + i, count - i)), count - i);
  }
}

}  // namespace
}  // namespace ferry::kernels
