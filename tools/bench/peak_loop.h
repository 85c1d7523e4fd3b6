// The peak loop over one register type. Included by avx2.cc and avx512.cc after their simd header,
// never elsewhere.
#pragma once

#include "tools/bench/peak.h"

namespace ferry::kernels {
namespace {

float PeakLoop(double* flops) {
  constexpr int kChains = 12;
  Vec sum[kChains];
  FERRY_UNROLL
  for (int i = 0; i < kChains; ++i) sum[i] = Set(static_cast<float>(i));
  const Vec a = Set(0.999f);
  const Vec b = Set(0.001f);
  for (int step = 0; step < bench::kPeakSteps; ++step) {
    FERRY_UNROLL
    for (int i = 0; i < kChains; ++i) sum[i] = Fma(sum[i], a, b);
  }
  Vec total = sum[0];
  FERRY_UNROLL
  for (int i = 1; i < kChains; ++i) total = Add(total, sum[i]);
  *flops = 2.0 * kWidth * kChains * bench::kPeakSteps;
  return SumLanes(total);
}

}  // namespace
}  // namespace ferry::kernels
