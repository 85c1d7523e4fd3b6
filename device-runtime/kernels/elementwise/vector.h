// The element-wise functions over one register type. Included by avx2.cc and avx512.cc after their
// simd header, never elsewhere.
#pragma once

#include "device-runtime/kernels/elementwise/kernels.h"
#include "device-runtime/kernels/simd/math.h"

namespace ferry::kernels {
namespace {

#define FERRY_DEFINE(name, expression)                                 \
  struct Do##name {                                                    \
    static Vec Run([[maybe_unused]] Vec x, [[maybe_unused]] Vec alpha, \
                   [[maybe_unused]] Vec beta) {                        \
      return expression;                                               \
    }                                                                  \
  };
FERRY_DEFINE(Abs, Abs(x))
FERRY_DEFINE(Ceil, Up(x))
FERRY_DEFINE(Clip, Min(beta, Max(alpha, x)))
FERRY_DEFINE(Erf, Erf(x))
FERRY_DEFINE(Exp, Exp(x))
FERRY_DEFINE(Floor, Down(x))
FERRY_DEFINE(Gelu, Mul(Mul(x, Set(0.5f)), Add(Set(1.0f), Erf(Mul(x, Set(0.707106781f))))))
FERRY_DEFINE(HardSigmoid, Min(Set(1.0f), Max(Zero(), Fma(alpha, x, beta))))
FERRY_DEFINE(HardSwish, Mul(x, Min(Set(1.0f), Max(Zero(), Fma(x, Set(1.0f / 6.0f), Set(0.5f))))))
FERRY_DEFINE(LeakyRelu, IfLess(x, Zero(), Mul(x, alpha), x))
FERRY_DEFINE(Log, Log(x))
FERRY_DEFINE(Neg, CopySign(x, Sub(Set(-0.0f), x)))
FERRY_DEFINE(Reciprocal, Div(Set(1.0f), x))
FERRY_DEFINE(Relu, Max(Zero(), x))
FERRY_DEFINE(Round, Nearest(x))
FERRY_DEFINE(Rsqrt, Div(Set(1.0f), Sqrt(x)))
FERRY_DEFINE(Sigmoid, Sigmoid(x))
FERRY_DEFINE(Sign, IfLess(Zero(), x, Set(1.0f), IfLess(x, Zero(), Set(-1.0f), x)))
FERRY_DEFINE(Silu, Div(x, Add(Set(1.0f), Exp(Sub(Zero(), x)))))
FERRY_DEFINE(Softplus, Add(Max(Zero(), x), Log(Add(Set(1.0f), Exp(Sub(Zero(), Abs(x)))))))
FERRY_DEFINE(Sqrt, Sqrt(x))
FERRY_DEFINE(Square, Mul(x, x))
FERRY_DEFINE(Tanh, Tanh(x))
#undef FERRY_DEFINE

template <typename Op>
void RunUnary(int64_t count, float alpha, float beta, const float* x, float* y) {
  const Vec a = Set(alpha);
  const Vec b = Set(beta);
  int64_t i = 0;
  for (; i + kWidth <= count; i += kWidth) Store(y + i, Op::Run(Load(x + i), a, b));
  if (i < count) StorePart(y + i, Op::Run(LoadPart(x + i, count - i), a, b), count - i);
}

#define FERRY_DEFINE(name, expression)                  \
  struct Do2##name {                                    \
    static Vec Run(Vec a, Vec b) { return expression; } \
  };
FERRY_DEFINE(Add, Add(a, b))
FERRY_DEFINE(Div, Div(a, b))
FERRY_DEFINE(Max, IfNan(a, a, Max(a, b)))
FERRY_DEFINE(Min, IfNan(a, a, Min(a, b)))
FERRY_DEFINE(Mul, Mul(a, b))
FERRY_DEFINE(Prelu, IfLess(a, Zero(), Mul(a, b), a))
FERRY_DEFINE(SquaredDifference, Mul(Sub(a, b), Sub(a, b)))
FERRY_DEFINE(Sub, Sub(a, b))
#undef FERRY_DEFINE

// Lane by lane through the C library: a vector form would need more than single precision inside.
struct Do2Pow {
  static Vec Run(Vec a, Vec b) {
    float left[kWidth];
    float right[kWidth];
    Store(left, a);
    Store(right, b);
    for (int i = 0; i < kWidth; ++i) left[i] = __builtin_powf(left[i], right[i]);
    return Load(left);
  }
};

template <typename Op, bool kScalarA, bool kScalarB>
void RunBinary(int64_t count, const float* a, const float* b, float* c) {
  const Vec all_a = Set(a[0]);
  const Vec all_b = Set(b[0]);
  int64_t i = 0;
  for (; i + kWidth <= count; i += kWidth) {
    Store(c + i, Op::Run(kScalarA ? all_a : Load(a + i), kScalarB ? all_b : Load(b + i)));
  }
  if (i < count) {
    const int64_t rest = count - i;
    StorePart(
        c + i,
        Op::Run(kScalarA ? all_a : LoadPart(a + i, rest), kScalarB ? all_b : LoadPart(b + i, rest)),
        rest);
  }
}

constexpr ElementwiseKernels kElementwise = {{
#define FERRY_UNARY(name, error) RunUnary<Do##name>,
#include "device-runtime/kernels/elementwise/unary.inc"
#undef FERRY_UNARY
                                             },
                                             {
#define FERRY_BINARY(name)                                                \
  {RunBinary<Do2##name, false, false>, RunBinary<Do2##name, true, false>, \
   RunBinary<Do2##name, false, true>},
#include "device-runtime/kernels/elementwise/binary.inc"
#undef FERRY_BINARY
                                             }};

}  // namespace
}  // namespace ferry::kernels
