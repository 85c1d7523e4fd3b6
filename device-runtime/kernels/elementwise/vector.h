// The activations over one register type. Included by the file of each instruction set after its
// simd header, never elsewhere.
#pragma once

#include "device-runtime/kernels/elementwise/kernels.h"
#include "device-runtime/kernels/simd/math.h"

namespace ferry::kernels {
namespace {

#define FERRY_DEFINE(name, expression)                                                            \
  struct Do##name {                                                                               \
    static Vec Run([[maybe_unused]] Vec x, [[maybe_unused]] Vec low, [[maybe_unused]] Vec high) { \
      return expression;                                                                          \
    }                                                                                             \
  };
FERRY_DEFINE(Clip, Min(high, Max(low, x)))
FERRY_DEFINE(Gelu, Mul(Mul(x, Set(0.5f)), Add(Set(1.0f), Erf(Mul(x, Set(0.707106781f))))))
FERRY_DEFINE(HardSigmoid, Min(Set(1.0f), Max(Zero(), Fma(low, x, high))))
FERRY_DEFINE(HardSwish, Mul(x, Min(Set(1.0f), Max(Zero(), Fma(x, Set(1.0f / 6.0f), Set(0.5f))))))
FERRY_DEFINE(LeakyRelu, IfLess(x, Zero(), Mul(x, low), x))
FERRY_DEFINE(Sigmoid, Sigmoid(x))
FERRY_DEFINE(Silu, Mul(x, Sigmoid(x)))
FERRY_DEFINE(Tanh, Tanh(x))
#undef FERRY_DEFINE

template <typename Op>
void RunAll(int64_t rows, int64_t count, int64_t stride, float low, float high, float* x) {
  const Vec a = Set(low);
  const Vec b = Set(high);
  for (; rows > 0; --rows, x += stride) {
    int64_t i = 0;
    for (; i + kWidth <= count; i += kWidth) Store(x + i, Op::Run(Load(x + i), a, b));
    if (i < count) StorePart(x + i, Op::Run(LoadPart(x + i, count - i), a, b), count - i);
  }
}

constexpr ElementwiseKernels kElementwise = {
#define FERRY_ACTIVATION(name, error) RunAll<Do##name>,
#include "device-runtime/kernels/elementwise/activations.inc"
#undef FERRY_ACTIVATION
};

}  // namespace
}  // namespace ferry::kernels
