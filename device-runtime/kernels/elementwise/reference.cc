#include <cmath>

#include "device-runtime/kernels/elementwise/kernels.h"

namespace ferry::kernels {
namespace {

float Clamp(float x, float low, float high) {
  const float y = x < low ? low : x;
  return y > high ? high : y;
}

#define FERRY_DEFINE(name, expression)                                                   \
  struct Do##name {                                                                      \
    static float Run(float x, [[maybe_unused]] float low, [[maybe_unused]] float high) { \
      return expression;                                                                 \
    }                                                                                    \
  };
FERRY_DEFINE(Clip, Clamp(x, low, high))
FERRY_DEFINE(Gelu, 0.5f * x * (1.0f + std::erf(x * 0.707106781f)))
FERRY_DEFINE(HardSigmoid, Clamp(low* x + high, 0.0f, 1.0f))
FERRY_DEFINE(HardSwish, x* Clamp(x*(1.0f / 6.0f) + 0.5f, 0.0f, 1.0f))
FERRY_DEFINE(LeakyRelu, x < 0.0f ? x * low : x)
FERRY_DEFINE(Sigmoid, 1.0f / (1.0f + std::exp(-x)))
FERRY_DEFINE(Silu, x / (1.0f + std::exp(-x)))
FERRY_DEFINE(Tanh, std::tanh(x))
#undef FERRY_DEFINE

template <typename Op>
void Run(int64_t rows, int64_t count, int64_t stride, float low, float high, float* x) {
  for (; rows > 0; --rows, x += stride) {
    for (int64_t i = 0; i < count; ++i) x[i] = Op::Run(x[i], low, high);
  }
}

}  // namespace

const ElementwiseKernels kElementwiseReference = {
#define FERRY_ACTIVATION(name, error) Run<Do##name>,
#include "device-runtime/kernels/elementwise/activations.inc"
#undef FERRY_ACTIVATION
};

}  // namespace ferry::kernels
