#include <cstring>

#include "device-runtime/kernels/linear/kernels.h"
#include "device-runtime/kernels/simd/half.h"
#include "device-runtime/tensor/dtype.h"

namespace ferry::kernels {
namespace {

constexpr int kLanes = 16;  // sums side by side: what compilers turn into vectors

float Widen(float x) {
  return x;
}
float Widen(uint16_t bf16) {
  const uint32_t bits = uint32_t{bf16} << 16;
  float x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}
float Widen(Half half) {
  return tensor::HalfToFloat(half.bits);
}
float Widen(int8_t x) {
  return static_cast<float>(x);
}

template <typename T>
float Dot(const T* w, const float* x, int64_t columns) {
  float sum[kLanes] = {};
  int64_t k = 0;
  for (; k + kLanes <= columns; k += kLanes) {
    for (int i = 0; i < kLanes; ++i) sum[i] += Widen(w[k + i]) * x[k + i];
  }
  for (int i = 0; k + i < columns; ++i) sum[i] += Widen(w[k + i]) * x[k + i];
  for (int half = kLanes / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) sum[i] += sum[i + half];
  }
  return sum[0];
}

template <typename T, int kXRows>
void Strip(const LinearStrip& s) {
  for (int64_t row = 0; row < s.rows; ++row) {
    const T* w = static_cast<const T*>(s.w) + row * s.columns;
    for (int m = 0; m < kXRows; ++m) {
      const int64_t at = m * s.out_stride + row;
      float value = Dot(w, s.x + m * s.x_stride, s.columns);
      if (s.scales != nullptr) value *= s.scales[row];
      if (s.add != nullptr) value += s.add[at];
      s.out[at] = value;
    }
  }
}

}  // namespace

#define FERRY_STRIPS(T) \
  { nullptr, Strip<T, 1>, Strip<T, 2>, Strip<T, 3>, Strip<T, 4> }
const LinearKernels kLinearReference = {4, FERRY_STRIPS(float), FERRY_STRIPS(uint16_t),
                                        FERRY_STRIPS(int8_t), FERRY_STRIPS(Half)};
#undef FERRY_STRIPS

}  // namespace ferry::kernels
