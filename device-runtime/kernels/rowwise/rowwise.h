// What a transformer block does to one row at a time: RMS norm, rotary positions, gated SiLU.
// Float32. A row's bits depend on the row and the instruction set alone. Source: RMSNorm (Zhang and
// Sennrich 2019), RoPE (Su et al. 2021), SwiGLU (Shazeer 2020).
#pragma once

#include <cstdint>

#include "device-runtime/kernels/table.h"

namespace ferry::kernels {

// out[i] = x[i] / sqrt(mean(x^2) + eps) * weight[i]; out may be x.
void RmsNorm(const KernelTable& table, const float* x, const float* weight, float eps,
             int64_t count, float* out);
// In place on one head: (a, b) = halves of x; a' = a cos - b sin, b' = b cos + a sin, element by
// element. cos and sin hold head_dim / 2 values for the row's position.
void RotateHalves(const KernelTable& table, const float* cos, const float* sin, int64_t head_dim,
                  float* x);
// out[i] = gate[i] / (1 + exp(-gate[i])) * up[i]; out may be gate or up.
void SiluTimes(const KernelTable& table, const float* gate, const float* up, int64_t count,
               float* out);

}  // namespace ferry::kernels
