#include "device-runtime/kernels/rowwise/rowwise.h"

#include "device-runtime/kernels/rowwise/kernels.h"

namespace ferry::kernels {

void RmsNorm(const KernelTable& table, const float* x, const float* weight, float eps,
             int64_t count, float* out) {
  if (count > 0) table.rowwise->rms_norm(x, weight, eps, count, out);
}

void RotateHalves(const KernelTable& table, const float* cos, const float* sin, int64_t head_dim,
                  float* x) {
  table.rowwise->rotate(cos, sin, head_dim / 2, x, x + head_dim / 2);
}

void SiluTimes(const KernelTable& table, const float* gate, const float* up, int64_t count,
               float* out) {
  table.rowwise->silu_times(gate, up, count, out);
}

}  // namespace ferry::kernels
