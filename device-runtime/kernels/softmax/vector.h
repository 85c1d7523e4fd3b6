// Softmax over one register type. Included by avx2.cc and avx512.cc after their simd header, never
// elsewhere.
#pragma once

#include "device-runtime/kernels/simd/math.h"
#include "device-runtime/kernels/softmax/kernels.h"

namespace ferry::kernels {
namespace {

float RowMax(int64_t size, const float* x) {
  if (size < kWidth) {
    const Vec low = Set(-__builtin_inff());
    return MaxLanes(SelectFirst(size, LoadPart(x, size), low));
  }
  Vec max = Load(x);
  for (int64_t i = kWidth; i + kWidth <= size; i += kWidth) max = Max(max, Load(x + i));
  return MaxLanes(Max(max, Load(x + size - kWidth)));  // the last vector may overlap
}

void SoftmaxRow(int64_t size, bool logarithm, const float* x, float* y) {
  const Vec max = Set(RowMax(size, x));
  Vec sum = Zero();
  for (int64_t i = 0; i < size; i += kWidth) {
    const int64_t count = size - i;
    const Vec e = Exp(Sub(LoadPart(x + i, count), max));
    sum = Add(sum, SelectFirst(count, e, Zero()));
    if (!logarithm) StorePart(y + i, e, count);
  }
  const Vec total = Set(SumLanes(sum));
  const Vec scale = Div(Set(1.0f), total);
  const Vec shift = Log(total);
  for (int64_t i = 0; i < size; i += kWidth) {
    const int64_t count = size - i;
    const Vec result = logarithm ? Sub(Sub(LoadPart(x + i, count), max), shift)
                                 : Mul(LoadPart(y + i, count), scale);
    StorePart(y + i, result, count);
  }
}

void SoftmaxColumns(int64_t size, int64_t stride, int64_t columns, bool logarithm, const float* x,
                    float* y) {
  for (int64_t c = 0; c < columns; c += kWidth) {
    const int64_t count = columns - c;
    Vec max = LoadPart(x + c, count);
    for (int64_t i = 1; i < size; ++i) max = Max(max, LoadPart(x + i * stride + c, count));
    Vec sum = Zero();
    for (int64_t i = 0; i < size; ++i) {
      const Vec e = Exp(Sub(LoadPart(x + i * stride + c, count), max));
      sum = Add(sum, e);
      if (!logarithm) StorePart(y + i * stride + c, e, count);
    }
    const Vec scale = Div(Set(1.0f), sum);
    const Vec shift = Log(sum);
    for (int64_t i = 0; i < size; ++i) {
      const int64_t at = i * stride + c;
      const Vec result = logarithm ? Sub(Sub(LoadPart(x + at, count), max), shift)
                                   : Mul(LoadPart(y + at, count), scale);
      StorePart(y + at, result, count);
    }
  }
}

}  // namespace
}  // namespace ferry::kernels
