// Pooling over one register type. Included by avx2.cc and avx512.cc after their simd header, never
// elsewhere.
#pragma once

#include "device-runtime/kernels/pool/kernels.h"

namespace ferry::kernels {
namespace {

void MaxOf(int64_t taps, const float* const* in, int64_t channels, float* out) {
  for (int64_t c = 0; c < channels; c += kWidth) {
    const int64_t count = channels - c;
    Vec x = LoadPart(in[0] + c, count);
    for (int64_t t = 1; t < taps; ++t) x = Max(x, LoadPart(in[t] + c, count));
    StorePart(out + c, x, count);
  }
}

void SumOf(int64_t taps, const float* const* in, int64_t channels, float scale, float* out) {
  for (int64_t c = 0; c < channels; c += kWidth) {
    const int64_t count = channels - c;
    Vec x = Zero();
    for (int64_t t = 0; t < taps; ++t) x = Add(x, LoadPart(in[t] + c, count));
    StorePart(out + c, Mul(x, Set(scale)), count);
  }
}

}  // namespace
}  // namespace ferry::kernels
