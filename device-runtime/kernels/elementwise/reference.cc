#include <cmath>

#include "device-runtime/kernels/elementwise/kernels.h"

namespace ferry::kernels {
namespace {

float Clamp(float x, float low, float high) {
  const float y = x < low ? low : x;
  return y > high ? high : y;
}

#define FERRY_DEFINE(name, expression)                                                     \
  struct Do##name {                                                                        \
    static float Run(float x, [[maybe_unused]] float alpha, [[maybe_unused]] float beta) { \
      return expression;                                                                   \
    }                                                                                      \
  };
FERRY_DEFINE(Abs, std::fabs(x))
FERRY_DEFINE(Ceil, std::ceil(x))
FERRY_DEFINE(Clip, Clamp(x, alpha, beta))
FERRY_DEFINE(Erf, std::erf(x))
FERRY_DEFINE(Exp, std::exp(x))
FERRY_DEFINE(Floor, std::floor(x))
FERRY_DEFINE(Gelu, 0.5f * x * (1.0f + std::erf(x * 0.707106781f)))
FERRY_DEFINE(HardSigmoid, Clamp(alpha* x + beta, 0.0f, 1.0f))
FERRY_DEFINE(HardSwish, x* Clamp(x*(1.0f / 6.0f) + 0.5f, 0.0f, 1.0f))
FERRY_DEFINE(LeakyRelu, x < 0.0f ? x * alpha : x)
FERRY_DEFINE(Log, std::log(x))
FERRY_DEFINE(Neg, -x)
FERRY_DEFINE(Reciprocal, 1.0f / x)
FERRY_DEFINE(Relu, x < 0.0f ? 0.0f : x)
FERRY_DEFINE(Round, std::nearbyint(x))
FERRY_DEFINE(Rsqrt, 1.0f / std::sqrt(x))
FERRY_DEFINE(Sigmoid, 1.0f / (1.0f + std::exp(-x)))
FERRY_DEFINE(Sign, x > 0.0f ? 1.0f : (x < 0.0f ? -1.0f : x))
FERRY_DEFINE(Silu, x / (1.0f + std::exp(-x)))
FERRY_DEFINE(Softplus, (x > 0.0f ? x : 0.0f) + std::log1p(std::exp(-std::fabs(x))))
FERRY_DEFINE(Sqrt, std::sqrt(x))
FERRY_DEFINE(Square, x* x)
FERRY_DEFINE(Tanh, std::tanh(x))
#undef FERRY_DEFINE

template <typename Op>
void RunUnary(int64_t count, float alpha, float beta, const float* x, float* y) {
  for (int64_t i = 0; i < count; ++i) y[i] = Op::Run(x[i], alpha, beta);
}

#define FERRY_DEFINE(name, expression)                        \
  struct Do2##name {                                          \
    static float Run(float a, float b) { return expression; } \
  };
FERRY_DEFINE(Add, a + b)
FERRY_DEFINE(Div, a / b)
FERRY_DEFINE(Max, a > b || std::isnan(a) ? a : b)
FERRY_DEFINE(Min, a < b || std::isnan(a) ? a : b)
FERRY_DEFINE(Mul, a* b)
FERRY_DEFINE(Pow, std::pow(a, b))
FERRY_DEFINE(Prelu, a < 0.0f ? a * b : a)
FERRY_DEFINE(SquaredDifference, (a - b) * (a - b))
FERRY_DEFINE(Sub, a - b)
#undef FERRY_DEFINE

template <typename Op, int kStepA, int kStepB>
void RunBinary(int64_t count, const float* a, const float* b, float* c) {
  for (int64_t i = 0; i < count; ++i) c[i] = Op::Run(a[i * kStepA], b[i * kStepB]);
}

}  // namespace

const ElementwiseKernels kElementwiseReference = {{
#define FERRY_UNARY(name, error) RunUnary<Do##name>,
#include "device-runtime/kernels/elementwise/unary.inc"
#undef FERRY_UNARY
                                                  },
                                                  {
#define FERRY_BINARY(name) \
  {RunBinary<Do2##name, 1, 1>, RunBinary<Do2##name, 0, 1>, RunBinary<Do2##name, 1, 0>},
#include "device-runtime/kernels/elementwise/binary.inc"
#undef FERRY_BINARY
                                                  }};

}  // namespace ferry::kernels
