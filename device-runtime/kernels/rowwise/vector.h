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

// Sums of x - shift, and of its squares.
inline float ShiftedSum(const float* x, Vec shift, int64_t count) {
  Vec sum = Zero();
  for (int64_t i = 0; i < count; i += kWidth) {
    const Vec part = Sub(LoadPart(x + i, count - i), shift);
    sum = Add(sum, SelectFirst(count - i, part, Zero()));
  }
  return SumLanes(sum);
}
inline float ShiftedSquares(const float* x, Vec shift, int64_t count) {
  Vec sum[2] = {Zero(), Zero()};
  int64_t i = 0;
  for (; i + 2 * kWidth <= count; i += 2 * kWidth) {
    const Vec a = Sub(Load(x + i), shift);
    const Vec b = Sub(Load(x + i + kWidth), shift);
    sum[0] = Fma(a, a, sum[0]);
    sum[1] = Fma(b, b, sum[1]);
  }
  for (; i < count; i += kWidth) {
    const Vec part = SelectFirst(count - i, Sub(LoadPart(x + i, count - i), shift), Zero());
    sum[0] = Fma(part, part, sum[0]);
  }
  return SumLanes(Add(sum[0], sum[1]));
}

void NormRow(const float* x, const float* scale, const float* bias, float epsilon, bool centered,
             int64_t count, float* out) {
  const auto size = static_cast<float>(count);
  const Vec mean = centered ? Set(ShiftedSum(x, Zero(), count) / size) : Zero();
  const Vec variance = Set(ShiftedSquares(x, mean, count) / size + epsilon);
  const Vec factor = Div(Set(1.0f), Sqrt(variance));
  for (int64_t i = 0; i < count; i += kWidth) {
    const int64_t rest = count - i;
    Vec y = Mul(Sub(LoadPart(x + i, rest), mean), factor);
    if (scale != nullptr) y = Mul(y, LoadPart(scale + i, rest));
    if (bias != nullptr) y = Add(y, LoadPart(bias + i, rest));
    StorePart(out + i, y, rest);
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
