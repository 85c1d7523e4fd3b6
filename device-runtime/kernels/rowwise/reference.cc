#include <cmath>

#include "device-runtime/kernels/rowwise/kernels.h"

namespace ferry::kernels {
namespace {

constexpr int kLanes = 16;  // sums side by side: what compilers turn into vectors

void RmsNormRow(const float* x, const float* weight, float eps, int64_t count, float* out) {
  float sum[kLanes] = {};
  int64_t k = 0;
  for (; k + kLanes <= count; k += kLanes) {
    for (int i = 0; i < kLanes; ++i) sum[i] += x[k + i] * x[k + i];
  }
  for (int i = 0; k + i < count; ++i) sum[i] += x[k + i] * x[k + i];
  for (int half = kLanes / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) sum[i] += sum[i + half];
  }
  const float scale = 1.0f / std::sqrt(sum[0] / static_cast<float>(count) + eps);
  for (int64_t i = 0; i < count; ++i) out[i] = x[i] * scale * weight[i];
}

void NormRow(const float* x, const float* scale, const float* bias, float epsilon, bool centered,
             int64_t count, float* out) {
  double mean = 0;
  for (int64_t i = 0; centered && i < count; ++i) mean += static_cast<double>(x[i]);
  mean /= static_cast<double>(count);
  double squares = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double part = static_cast<double>(x[i]) - mean;
    squares += part * part;
  }
  const double deviation =
      std::sqrt(squares / static_cast<double>(count) + static_cast<double>(epsilon));
  for (int64_t i = 0; i < count; ++i) {
    double y = (static_cast<double>(x[i]) - mean) / deviation;
    if (scale != nullptr) y *= static_cast<double>(scale[i]);
    if (bias != nullptr) y += static_cast<double>(bias[i]);
    out[i] = static_cast<float>(y);
  }
}

void RotateRow(const float* cos, const float* sin, int64_t half, float* a, float* b) {
  for (int64_t i = 0; i < half; ++i) {
    const float left = a[i];
    const float right = b[i];
    a[i] = left * cos[i] - right * sin[i];
    b[i] = right * cos[i] + left * sin[i];
  }
}

void SiluTimesRow(const float* gate, const float* up, int64_t count, float* out) {
  for (int64_t i = 0; i < count; ++i) out[i] = gate[i] / (1.0f + std::exp(-gate[i])) * up[i];
}

}  // namespace

const RowwiseKernels kRowwiseReference = {RmsNormRow, RotateRow, SiluTimesRow, NormRow};

}  // namespace ferry::kernels
