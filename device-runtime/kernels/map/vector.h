// The element-wise functions over Highway's registers, for the instruction set that the including
// file is compiled for. Included by <isa>.cc alone. Sources: Highway's math library (Apache-2.0,
// linked as headers); erf: Cephes library, single precision (Moshier) below 1, Abramowitz and
// Stegun 7.1.26 above.
#pragma once

#define HWY_COMPILE_ONLY_STATIC
// Nothing here needs them; without these words Highway takes a processor that may lack them for one
// that has SSSE3 alone.
#define HWY_DISABLE_PCLMUL_AES
#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

#include "device-runtime/kernels/map/kernels.h"

namespace ferry::kernels {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Highway chooses its registers by the flags of the including file.
#if defined(__AVX512F__)
static_assert(HWY_TARGET == HWY_AVX3);
#elif defined(__AVX2__)
static_assert(HWY_TARGET == HWY_AVX2);
#endif

template <class D>
using Of = hn::Vec<D>;

template <class D, class M>
Of<D> Truth(D d, M mask) {
  return hn::IfThenElse(mask, hn::Set(d, hn::TFromD<D>(1)), hn::Zero(d));
}

// Highway's functions are not defined for NaN: it gives itself.
template <class D>
Of<D> KeepNan(Of<D> x, Of<D> y) {
  return hn::IfThenElse(hn::Eq(x, x), y, x);
}

// Highway's exp is only defined up to 104, where float32 has long become infinite.
template <class D>
Of<D> ExpOf(D d, Of<D> x) {
  static_assert(sizeof(hn::TFromD<D>) == sizeof(float));
  return KeepNan<D>(x, hn::Exp(d, hn::Min(x, hn::Set(d, 104.0f))));
}

template <class D>
Of<D> SigmoidOf(D d, Of<D> x) {
  const auto one = hn::Set(d, hn::TFromD<D>(1));
  return hn::Div(one, hn::Add(one, ExpOf(d, hn::Neg(x))));
}

template <class D>
Of<D> ErfOf(D d, Of<D> x) {
  const auto z = hn::Mul(x, x);
  auto p = hn::Set(d, 7.853861353153693e-5f);
  p = hn::MulAdd(p, z, hn::Set(d, -8.010193625184903e-4f));
  p = hn::MulAdd(p, z, hn::Set(d, 5.188327685732524e-3f));
  p = hn::MulAdd(p, z, hn::Set(d, -2.685381193529856e-2f));
  p = hn::MulAdd(p, z, hn::Set(d, 1.128358514861418e-1f));
  p = hn::MulAdd(p, z, hn::Set(d, -3.761262582423300e-1f));
  p = hn::MulAdd(p, z, hn::Set(d, 1.128379165726710f));
  const auto near = hn::Mul(p, x);
  const auto size = hn::Abs(x);
  const auto one = hn::Set(d, 1.0f);
  const auto t = hn::Div(one, hn::MulAdd(hn::Set(d, 0.3275911f), size, one));
  auto q = hn::Set(d, 1.061405429f);
  q = hn::MulAdd(q, t, hn::Set(d, -1.453152027f));
  q = hn::MulAdd(q, t, hn::Set(d, 1.421413741f));
  q = hn::MulAdd(q, t, hn::Set(d, -0.284496736f));
  q = hn::MulAdd(q, t, hn::Set(d, 0.254829592f));
  const auto tail = hn::Mul(hn::Mul(q, t), ExpOf(d, hn::Neg(z)));
  const auto far = hn::CopySign(hn::Sub(one, tail), x);
  // NaN takes the second branch and stays NaN through exp.
  return hn::IfThenElse(hn::Lt(size, one), near, far);
}

template <class D>
Of<D> LargestOf(Of<D> a, Of<D> b) {
  const auto more = hn::IfThenElse(hn::Lt(a, b), b, a);  // a if it is NaN
  return hn::IfThenElse(hn::Eq(b, b), more, b);
}
template <class D>
Of<D> SmallestOf(Of<D> a, Of<D> b) {
  const auto less = hn::IfThenElse(hn::Lt(b, a), b, a);
  return hn::IfThenElse(hn::Eq(b, b), less, b);
}

// Highway's log is only defined for positive numbers.
template <class D>
Of<D> LogOf(D d, Of<D> x) {
  using T = hn::TFromD<D>;
  const auto infinity = hn::Inf(d);
  const auto log = hn::Log(d, x);
  const auto low =
      hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Neg(infinity), hn::Set(d, static_cast<T>(NAN)));
  const auto positive = hn::And(hn::Lt(hn::Zero(d), x), hn::Lt(x, infinity));
  return KeepNan<D>(
      x, hn::IfThenElse(positive, log, hn::IfThenElse(hn::Eq(x, infinity), infinity, low)));
}

}  // namespace
}  // namespace ferry::kernels

#include "device-runtime/kernels/map/moves.h"
#include "device-runtime/kernels/map/powers.h"

namespace ferry::kernels {
namespace {

#define FERRY_DEFINE(name, expression)                                                         \
  struct Do##name {                                                                            \
    template <class D>                                                                         \
    static Of<D> Run([[maybe_unused]] D d, [[maybe_unused]] Of<D> a, [[maybe_unused]] Of<D> b, \
                     [[maybe_unused]] Of<D> c) {                                               \
      return expression;                                                                       \
    }                                                                                          \
  };
FERRY_DEFINE(Abs, hn::Abs(a))
FERRY_DEFINE(Acos, KeepNan<D>(a, hn::Acos(d, a)))
FERRY_DEFINE(Add, hn::Add(a, b))
FERRY_DEFINE(And, hn::And(a, b))
FERRY_DEFINE(Asin, KeepNan<D>(a, hn::Asin(d, a)))
FERRY_DEFINE(Atan, KeepNan<D>(a, hn::Atan(d, a)))
FERRY_DEFINE(Ceil, hn::Ceil(a))
FERRY_DEFINE(Div, hn::Div(a, b))
FERRY_DEFINE(Equal, Truth(d, hn::Eq(a, b)))
FERRY_DEFINE(Erf, ErfOf(d, a))
FERRY_DEFINE(Exp, ExpOf(d, a))
FERRY_DEFINE(Floor, hn::Floor(a))
FERRY_DEFINE(Less, Truth(d, hn::Lt(a, b)))
FERRY_DEFINE(LessOrEqual, Truth(d, hn::Le(a, b)))
FERRY_DEFINE(LessOrEqualOfIntegers, Truth(d, hn::Not(hn::Lt(b, a))))
FERRY_DEFINE(Log, LogOf(d, a))
FERRY_DEFINE(Max, LargestOf<D>(a, b))
FERRY_DEFINE(MaxOfIntegers, hn::Max(a, b))
FERRY_DEFINE(Min, SmallestOf<D>(a, b))
FERRY_DEFINE(MinOfIntegers, hn::Min(a, b))
FERRY_DEFINE(Mul, hn::Mul(a, b))
FERRY_DEFINE(MulAdd, hn::MulAdd(a, b, c))
FERRY_DEFINE(Neg, hn::Neg(a))
FERRY_DEFINE(Or, hn::Or(a, b))
FERRY_DEFINE(DivOfIntegers, DivideIntegers(d, a, b))
FERRY_DEFINE(ModOfIntegers, ModuloOfIntegers(d, a, b))
FERRY_DEFINE(Pow, PowOf(d, a, b))
FERRY_DEFINE(RemOfIntegers, RemainderOfIntegers(d, a, b))
FERRY_DEFINE(Round, hn::Round(a))
FERRY_DEFINE(Select, hn::IfThenElse(hn::Eq(a, hn::Zero(d)), c, b))
FERRY_DEFINE(Sigmoid, SigmoidOf(d, a))
FERRY_DEFINE(Sqrt, hn::Sqrt(a))
FERRY_DEFINE(Sub, hn::Sub(a, b))
FERRY_DEFINE(Tanh, KeepNan<D>(a, hn::Tanh(d, a)))
FERRY_DEFINE(Xor, hn::Xor(a, b))
#undef FERRY_DEFINE

// The last, incomplete register of a row: nothing past element n is read or written.
template <class D>
Of<D> LoadPart(D d, const hn::TFromD<D>* from, size_t n) {
  return hn::MaskedLoad(hn::FirstN(d, n), d, from);
}

template <typename Op, typename T, int kOperands>
void Run(int64_t n, const void* a, const void* b, const void* c, void* to) {
  const hn::ScalableTag<T> d;
  const size_t width = hn::Lanes(d);
  const auto count = static_cast<size_t>(n);
  const auto* x = static_cast<const T*>(a);
  const auto* y = kOperands > 1 ? static_cast<const T*>(b) : x;
  const auto* z = kOperands > 2 ? static_cast<const T*>(c) : x;
  auto* out = static_cast<T*>(to);
  size_t i = 0;
  for (; i + width <= count; i += width) {
    const auto second = kOperands > 1 ? hn::LoadU(d, y + i) : hn::Zero(d);
    const auto third = kOperands > 2 ? hn::LoadU(d, z + i) : hn::Zero(d);
    hn::StoreU(Op::Run(d, hn::LoadU(d, x + i), second, third), d, out + i);
  }
  if (i == count) return;
  const auto second = kOperands > 1 ? LoadPart(d, y + i, count - i) : hn::Zero(d);
  const auto third = kOperands > 2 ? LoadPart(d, z + i, count - i) : hn::Zero(d);
  const auto last = Op::Run(d, LoadPart(d, x + i, count - i), second, third);
  hn::BlendedStore(last, hn::FirstN(d, count - i), d, out + i);
}

void FloatToInteger(int64_t n, const void* a, const void*, const void*, void* to) {
  const hn::ScalableTag<float> df;
  const hn::ScalableTag<int32_t> di;
  const size_t width = hn::Lanes(df);
  const auto count = static_cast<size_t>(n);
  const auto* x = static_cast<const float*>(a);
  auto* out = static_cast<int32_t*>(to);
  auto convert = [&](hn::Vec<decltype(df)> v) {
    return hn::ConvertTo(di, hn::IfThenElse(hn::Eq(v, v), v, hn::Zero(df)));
  };
  size_t i = 0;
  for (; i + width <= count; i += width) hn::StoreU(convert(hn::LoadU(df, x + i)), di, out + i);
  if (i == count) return;
  hn::BlendedStore(convert(LoadPart(df, x + i, count - i)), hn::FirstN(di, count - i), di, out + i);
}

void IntegerToFloat(int64_t n, const void* a, const void*, const void*, void* to) {
  const hn::ScalableTag<float> df;
  const hn::ScalableTag<int32_t> di;
  const size_t width = hn::Lanes(df);
  const auto count = static_cast<size_t>(n);
  const auto* x = static_cast<const int32_t*>(a);
  auto* out = static_cast<float*>(to);
  size_t i = 0;
  for (; i + width <= count; i += width) {
    hn::StoreU(hn::ConvertTo(df, hn::LoadU(di, x + i)), df, out + i);
  }
  if (i == count) return;
  const auto last = hn::ConvertTo(df, LoadPart(di, x + i, count - i));
  hn::BlendedStore(last, hn::FirstN(df, count - i), df, out + i);
}

constexpr MapKernels MakeMap() {
  MapKernels k{};
  constexpr auto f32 = static_cast<size_t>(MapType::kF32), f64 = static_cast<size_t>(MapType::kF64);
  constexpr auto i32 = static_cast<size_t>(MapType::kI32), i64 = static_cast<size_t>(MapType::kI64);
#define FERRY_ROW(name, operands, type, Type, Op) \
  k.code[static_cast<size_t>(MapCode::k##name)][type] = Run<Do##Op, Type, operands>;
#define FERRY_FLOATS(name, operands)          \
  FERRY_ROW(name, operands, f32, float, name) \
  FERRY_ROW(name, operands, f64, double, name)
#define FERRY_INTEGERS(name, operands)          \
  FERRY_ROW(name, operands, i32, int32_t, name) \
  FERRY_ROW(name, operands, i64, int64_t, name)
  FERRY_FLOATS(Abs, 1)
  FERRY_ROW(Acos, 1, f32, float, Acos)
  FERRY_FLOATS(Add, 2)
  FERRY_INTEGERS(Add, 2)
  FERRY_INTEGERS(And, 2)
  FERRY_ROW(Asin, 1, f32, float, Asin)
  FERRY_ROW(Atan, 1, f32, float, Atan)
  FERRY_FLOATS(Ceil, 1)
  FERRY_FLOATS(Div, 2)
  FERRY_FLOATS(Equal, 2)
  FERRY_INTEGERS(Equal, 2)
  FERRY_ROW(Erf, 1, f32, float, Erf)
  FERRY_ROW(Exp, 1, f32, float, Exp)
  FERRY_FLOATS(Floor, 1)
  FERRY_FLOATS(Less, 2)
  FERRY_INTEGERS(Less, 2)
  FERRY_FLOATS(LessOrEqual, 2)
  FERRY_ROW(LessOrEqual, 2, i32, int32_t, LessOrEqualOfIntegers)
  FERRY_ROW(LessOrEqual, 2, i64, int64_t, LessOrEqualOfIntegers)
  FERRY_ROW(Log, 1, f32, float, Log)
  FERRY_FLOATS(Max, 2)
  FERRY_ROW(Max, 2, i32, int32_t, MaxOfIntegers)
  FERRY_ROW(Max, 2, i64, int64_t, MaxOfIntegers)
  FERRY_FLOATS(Min, 2)
  FERRY_ROW(Min, 2, i32, int32_t, MinOfIntegers)
  FERRY_ROW(Min, 2, i64, int64_t, MinOfIntegers)
  FERRY_FLOATS(Mul, 2)
  FERRY_ROW(Mul, 2, i32, int32_t, Mul)
  FERRY_FLOATS(MulAdd, 3)
  FERRY_FLOATS(Neg, 1)
  FERRY_INTEGERS(Neg, 1)
  FERRY_INTEGERS(Or, 2)
  FERRY_ROW(Div, 2, i32, int32_t, DivOfIntegers)
  FERRY_ROW(Mod, 2, i32, int32_t, ModOfIntegers)
  FERRY_ROW(Pow, 2, f32, float, Pow)
  FERRY_ROW(Rem, 2, i32, int32_t, RemOfIntegers)
  FERRY_FLOATS(Round, 1)
  FERRY_FLOATS(Select, 3)
  FERRY_INTEGERS(Select, 3)
  FERRY_ROW(Sigmoid, 1, f32, float, Sigmoid)
  FERRY_FLOATS(Sqrt, 1)
  FERRY_FLOATS(Sub, 2)
  FERRY_INTEGERS(Sub, 2)
  FERRY_ROW(Tanh, 1, f32, float, Tanh)
  FERRY_INTEGERS(Xor, 2)
#undef FERRY_INTEGERS
#undef FERRY_FLOATS
#undef FERRY_ROW
  SetMoves(k);
  k.convert[f32][i32] = FloatToInteger;
  k.convert[i32][f32] = IntegerToFloat;
  return k;
}

constexpr MapKernels kMap = MakeMap();

}  // namespace
}  // namespace ferry::kernels
