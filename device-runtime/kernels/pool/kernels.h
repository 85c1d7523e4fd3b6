// What a pool file of one instruction set provides.
#pragma once

#include <cstdint>

namespace ferry::kernels {

struct PoolKernels {
  // out[c] = the largest of in[t][c] over t < taps (taps >= 1), NaN if the last of them is.
  void (*max_of)(int64_t taps, const float* const* in, int64_t channels, float* out);
  // out[c] = scale * the sum of in[t][c] over t < taps, in order.
  void (*sum_of)(int64_t taps, const float* const* in, int64_t channels, float scale, float* out);
};

#define FERRY_POOL(isa) extern const PoolKernels kPool##isa;
#include "device-runtime/kernels/pool/list.inc"
#undef FERRY_POOL

}  // namespace ferry::kernels
