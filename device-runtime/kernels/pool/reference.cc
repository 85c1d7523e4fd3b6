#include "device-runtime/kernels/pool/kernels.h"

namespace ferry::kernels {
namespace {

void MaxOf(int64_t taps, const float* const* in, int64_t channels, float* out) {
  for (int64_t c = 0; c < channels; ++c) {
    float x = in[0][c];
    for (int64_t t = 1; t < taps; ++t) x = x > in[t][c] ? x : in[t][c];
    out[c] = x;
  }
}

void SumOf(int64_t taps, const float* const* in, int64_t channels, float scale, float* out) {
  for (int64_t c = 0; c < channels; ++c) {
    float x = 0.0f;
    for (int64_t t = 0; t < taps; ++t) x += in[t][c];
    out[c] = x * scale;
  }
}

}  // namespace

const PoolKernels kPoolReference = {MaxOf, SumOf};

}  // namespace ferry::kernels
