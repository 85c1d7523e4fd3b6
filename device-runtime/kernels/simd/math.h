// exp, log, tanh, erf over one register. Included after simd/avx2.h or simd/avx512.h, never
// elsewhere. Polynomials: Cephes library, single precision (Moshier); erf: Abramowitz and Stegun
// 7.1.26. Largest errors: elementwise/activations.inc.
#pragma once

namespace ferry::kernels {
namespace {

inline Vec Exp(Vec x) {
  // Beyond these the result is infinity or 0; NaN passes through.
  x = Min(Set(89.0f), Max(Set(-104.0f), x));
  const Vec n = Nearest(Mul(x, Set(1.44269504f)));
  Vec r = Fnma(n, Set(0.693359375f), x);
  r = Fnma(n, Set(-2.12194440e-4f), r);
  Vec p = Set(1.9875691500e-4f);
  p = Fma(p, r, Set(1.3981999507e-3f));
  p = Fma(p, r, Set(8.3334519073e-3f));
  p = Fma(p, r, Set(4.1665795894e-2f));
  p = Fma(p, r, Set(1.6666665459e-1f));
  p = Fma(p, r, Set(5.0000001201e-1f));
  p = Add(Fma(p, Mul(r, r), r), Set(1.0f));
  return TimesPowerOfTwo(p, n);
}

// 2^x for x < 127; what is below -126 counts as that. Coefficients: (2^x - 1) / x met at the six
// Chebyshev nodes of -1/2 to 1/2, relative error 1e-8. NaN passes through.
inline Vec Exp2(Vec x) {
  x = Max(Set(-126.0f), x);
  const Vec n = Nearest(x);
  const Vec r = Sub(x, n);
  Vec p = Set(1.5453163360e-4f);
  p = Fma(p, r, Set(1.3390863314e-3f));
  p = Fma(p, r, Set(9.6180830151e-3f));
  p = Fma(p, r, Set(5.5503569543e-2f));
  p = Fma(p, r, Set(2.4022650719e-1f));
  p = Fma(p, r, Set(6.9314718246e-1f));
  return TimesNormalPower(Fma(p, r, Set(1.0f)), n);
}

inline Vec Log(Vec x) {
  const Vec smallest = Set(1.17549435e-38f);
  const Vec scaled = IfLess(x, smallest, Mul(x, Set(33554432.0f)), x);
  Vec m;
  Vec e = SplitExponent(scaled, &m);
  e = IfLess(x, smallest, Sub(e, Set(25.0f)), e);
  const Vec root = Set(0.707106781f);
  e = IfLess(m, root, Sub(e, Set(1.0f)), e);
  m = Sub(IfLess(m, root, Add(m, m), m), Set(1.0f));
  const Vec z = Mul(m, m);
  Vec p = Set(7.0376836292e-2f);
  p = Fma(p, m, Set(-1.1514610310e-1f));
  p = Fma(p, m, Set(1.1676998740e-1f));
  p = Fma(p, m, Set(-1.2420140846e-1f));
  p = Fma(p, m, Set(1.4249322787e-1f));
  p = Fma(p, m, Set(-1.6668057665e-1f));
  p = Fma(p, m, Set(2.0000714765e-1f));
  p = Fma(p, m, Set(-2.4999993993e-1f));
  p = Fma(p, m, Set(3.3333331174e-1f));
  Vec y = Mul(Mul(p, m), z);
  y = Fma(e, Set(-2.12194440e-4f), y);
  y = Fnma(z, Set(0.5f), y);
  y = Fma(e, Set(0.693359375f), Add(m, y));
  const Vec infinity = Set(__builtin_inff());
  y = IfLess(x, infinity, y, x);  // infinity and NaN give themselves
  y = IfLess(Zero(), x, y, IfLess(x, Zero(), Set(__builtin_nanf("")), Sub(Zero(), infinity)));
  return IfNan(x, x, y);
}

// 0 for x < -87, where it would not be a normal number; NaN passes through. The exponent's rounding
// weighs little, for where it is large the result hardly depends on it.
inline Vec Sigmoid(Vec x) {
  const Vec e = Exp2(Mul(x, Set(-1.44269504f)));
  return IfLess(x, Set(-87.0f), Zero(), Reciprocal(Add(Set(1.0f), e)));
}

inline Vec Tanh(Vec x) {
  const Vec size = Min(Set(20.0f), Abs(x));  // it is 1 from 10 on
  const Vec z = Mul(x, x);
  Vec p = Set(-5.70498872745e-3f);
  p = Fma(p, z, Set(2.06390887954e-2f));
  p = Fma(p, z, Set(-5.37397155531e-2f));
  p = Fma(p, z, Set(1.33314422036e-1f));
  p = Fma(p, z, Set(-3.33332819422e-1f));
  const Vec near = Fma(Mul(p, z), x, x);
  const Vec one = Set(1.0f);
  const Vec e = Exp2(Mul(size, Set(2.88539008f)));
  const Vec far = Fnma(Set(2.0f), Reciprocal(Add(e, one)), one);
  return IfLess(size, Set(0.625f), near, CopySign(far, x));
}

inline Vec Erf(Vec x) {
  const Vec size = Min(Set(16.0f), Abs(x));  // it is 1 from 4 on
  const Vec one = Set(1.0f);
  const Vec t = Reciprocal(Fma(Set(0.3275911f), size, one));
  Vec p = Set(1.061405429f);
  p = Fma(p, t, Set(-1.453152027f));
  p = Fma(p, t, Set(1.421413741f));
  p = Fma(p, t, Set(-0.284496736f));
  p = Fma(p, t, Set(0.254829592f));
  p = Mul(p, t);
  const Vec y = Fnma(p, Exp2(Mul(Mul(size, size), Set(-1.44269504f))), one);
  return CopySign(y, x);
}

}  // namespace
}  // namespace ferry::kernels
