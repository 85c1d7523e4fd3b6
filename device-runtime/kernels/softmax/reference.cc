#include <cmath>

#include "device-runtime/kernels/softmax/kernels.h"

namespace ferry::kernels {
namespace {

// One softmax of elements `stride` apart.
void SoftmaxOf(int64_t size, int64_t stride, bool logarithm, const float* x, float* y) {
  float max = x[0];
  for (int64_t i = 1; i < size; ++i) max = x[i * stride] > max ? x[i * stride] : max;
  float sum = 0.0f;
  for (int64_t i = 0; i < size; ++i) sum += std::exp(x[i * stride] - max);
  const float shift = std::log(sum);
  for (int64_t i = 0; i < size; ++i) {
    const float shifted = x[i * stride] - max;
    y[i * stride] = logarithm ? shifted - shift : std::exp(shifted) / sum;
  }
}

void SoftmaxRow(int64_t size, bool logarithm, const float* x, float* y) {
  SoftmaxOf(size, 1, logarithm, x, y);
}

void SoftmaxColumns(int64_t size, int64_t stride, int64_t columns, bool logarithm, const float* x,
                    float* y) {
  for (int64_t c = 0; c < columns; ++c) SoftmaxOf(size, stride, logarithm, x + c, y + c);
}

}  // namespace

const SoftmaxKernels kSoftmaxReference = {SoftmaxRow, SoftmaxColumns};

}  // namespace ferry::kernels
