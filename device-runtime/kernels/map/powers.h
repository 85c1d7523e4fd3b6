// Powers of floats and divisions of integers through doubles, whose 53 bits hold the products,
// logarithms and quotients that they need. Included by vector.h alone.
#pragma once

namespace ferry::kernels {
namespace {

template <class D>
using Wide = hn::Repartition<double, D>;

// f over both halves of a and b as doubles.
template <class D, class F>
Of<D> ThroughDoubles(D d, Of<D> a, Of<D> b, const F& f) {
  const hn::Half<D> half;
  const Wide<D> wide;
  const auto low = f(wide, hn::PromoteTo(wide, hn::LowerHalf(half, a)),
                     hn::PromoteTo(wide, hn::LowerHalf(half, b)));
  const auto high = f(wide, hn::PromoteTo(wide, hn::UpperHalf(half, a)),
                      hn::PromoteTo(wide, hn::UpperHalf(half, b)));
  return hn::Combine(d, hn::DemoteTo(half, high), hn::DemoteTo(half, low));
}

// |a|^b; what is no number there is put right by PowOf.
struct PowerOfSize {
  template <class W>
  hn::Vec<W> operator()(W w, hn::Vec<W> a, hn::Vec<W> b) const {
    const auto product = hn::Mul(b, LogOf(w, hn::Abs(a)));
    // Beyond, the power is 0 or infinite in float32.
    const auto limit = hn::Set(w, 200.0);
    return hn::Exp(w, hn::Max(hn::Neg(limit), hn::Min(product, limit)));
  }
};

template <class D>
Of<D> PowOf(D d, Of<D> a, Of<D> b) {
  const auto zero = hn::Zero(d), one = hn::Set(d, 1.0f), infinity = hn::Inf(d);
  auto size = ThroughDoubles(d, a, b, PowerOfSize());
  size = hn::IfThenElse(hn::Eq(hn::Abs(a), one), one, size);  // also of infinite exponents
  const auto half = hn::Mul(b, hn::Set(d, 0.5f));
  const auto whole = hn::Eq(b, hn::Round(b));
  const auto even = hn::Eq(half, hn::Round(half));
  // Odd powers have the base's sign, also of zeros and infinities.
  auto power = hn::IfThenElse(even, size, hn::IfThenElse(whole, hn::CopySign(size, a), size));
  const auto negative = hn::And(hn::Lt(a, zero), hn::Lt(hn::Neg(infinity), a));
  const auto fraction = hn::Ne(b, hn::Round(b));
  power = hn::IfThenElse(hn::And(negative, fraction), hn::Set(d, NAN), power);
  const auto both = hn::And(hn::Eq(a, a), hn::Eq(b, b));
  power = hn::IfThenElse(both, power, hn::Add(a, b));
  return hn::IfThenElse(hn::Or(hn::Eq(b, zero), hn::Eq(a, one)), one, power);
}

struct QuotientOf {
  template <class W>
  hn::Vec<W> operator()(W, hn::Vec<W> a, hn::Vec<W> b) const {
    return hn::Trunc(hn::Div(a, b));
  }
};

// Toward zero; 0 for a divisor of 0; the least integer by -1 wraps.
template <class D>
Of<D> DivideIntegers(D d, Of<D> a, Of<D> b) {
  const auto quotient = ThroughDoubles(d, a, b, QuotientOf());
  const auto wrapped = hn::IfThenElse(hn::Eq(b, hn::Set(d, -1)), hn::Neg(a), quotient);
  return hn::IfThenElse(hn::Eq(b, hn::Zero(d)), hn::Zero(d), wrapped);
}

// The dividend's sign; 0 for a divisor of 0.
template <class D>
Of<D> RemainderOfIntegers(D d, Of<D> a, Of<D> b) {
  const auto rest = hn::Sub(a, hn::Mul(DivideIntegers(d, a, b), b));
  return hn::IfThenElse(hn::Eq(b, hn::Zero(d)), hn::Zero(d), rest);
}

// The divisor's sign.
template <class D>
Of<D> ModuloOfIntegers(D d, Of<D> a, Of<D> b) {
  const auto rest = RemainderOfIntegers(d, a, b);
  const auto zero = hn::Zero(d);
  const auto other = hn::And(hn::Lt(hn::Xor(rest, b), zero), hn::Not(hn::Eq(rest, zero)));
  return hn::IfThenElse(other, hn::Add(rest, b), rest);
}

}  // namespace
}  // namespace ferry::kernels
