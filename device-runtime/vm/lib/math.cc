#include <cmath>
#include <numeric>

#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/number/bigint.h"

namespace ferry::vm {
namespace {

bool Number(Vm& vm, Value v, double* out) {
  if (v.IsFloat()) {
    *out = v.AsFloat();
  } else if (IsInt(v)) {
    *out = IntToDouble(v);
    if (std::isinf(*out)) {
      vm.Raise(Error::kOverflowError, "int too large to convert to float");
      return false;
    }
  } else {
    bool found;
    Value result = vm.CallSpecial(v, vm.names.to_float, nullptr, 0, &found);
    if (!found) vm.Throw(Error::kTypeError, "must be real number, not {}", vm.TypeName(v));
    if (result.empty()) return false;
    if (!result.IsFloat()) {
      vm.Throw(Error::kTypeError, "__float__ returned non-float (type {})", vm.TypeName(result));
      return false;
    }
    *out = result.AsFloat();
  }
  return true;
}

// A function of one double: NaN or infinity from a finite argument is an error.
template <double (*kFunction)(double)>
Value Unary(Vm& vm, Args& args) {
  double x;
  if (!Expect(vm, args, "math function", 1, 1) || !Number(vm, args[0], &x)) return Value();
  const double y = kFunction(x);
  if (std::isnan(y) && !std::isnan(x)) return vm.Raise(Error::kValueError, "math domain error");
  if (std::isinf(y) && std::isfinite(x)) return vm.Raise(Error::kOverflowError, "math range error");
  return Value::Float(y);
}

template <double (*kFunction)(double, double)>
Value Binary(Vm& vm, Args& args) {
  double x, y;
  if (!Expect(vm, args, "math function", 2, 2) || !Number(vm, args[0], &x) ||
      !Number(vm, args[1], &y))
    return Value();
  const double z = kFunction(x, y);
  if (std::isnan(z) && !std::isnan(x) && !std::isnan(y))
    return vm.Raise(Error::kValueError, "math domain error");
  if (std::isinf(z) && std::isfinite(x) && std::isfinite(y))
    return vm.Raise(Error::kOverflowError, "math range error");
  return Value::Float(z);
}

Value LogOf(Vm& vm, Value v, double* out) {
  double x;
  if (Is(v, Type::kBigInt) && As<BigInt>(v)->aux == 0) {
    // Larger than any double perhaps: log of the leading bits plus the rest.
    const int64_t shift = std::max<int64_t>(IntBitLength(v) - 64, 0);
    Value head = IntBinary(vm, static_cast<int>(Operator::kRight), v, Value::SmallInt(shift));
    if (head.empty()) return head;
    *out = std::log(IntToDouble(head)) + static_cast<double>(shift) * std::log(2.0);
    return Value::None();
  }
  if (!Number(vm, v, &x)) return Value();
  if (x <= 0) return vm.Raise(Error::kValueError, "math domain error");
  *out = std::log(x);
  return Value::None();
}

Value Log(Vm& vm, Args& args) {
  double x, base = 1;
  if (!Expect(vm, args, "log", 1, 2) || LogOf(vm, args[0], &x).empty()) return Value();
  if (args.count == 2 && LogOf(vm, args[1], &base).empty()) return Value();
  if (args.count == 2 && base == 0)
    return vm.Raise(Error::kZeroDivisionError, "float division by zero");
  return Value::Float(args.count == 2 ? x / base : x);
}
template <double (*kFunction)(double)>
Value LogFixed(Vm& vm, Args& args) {
  double x;
  if (!Expect(vm, args, "log", 1, 1) || !Number(vm, args[0], &x)) return Value();
  return x <= 0 ? vm.Raise(Error::kValueError, "math domain error") : Value::Float(kFunction(x));
}

template <double (*kFunction)(double)>
Value ToInt(Vm& vm, Args& args) {
  double x;
  if (!Expect(vm, args, "math function", 1, 1)) return Value();
  if (IsInt(args[0])) return vm.Unary(static_cast<int>(Operator::kPositive), args[0]);
  if (!Number(vm, args[0], &x)) return Value();
  if (std::isnan(x)) return vm.Raise(Error::kValueError, "cannot convert float NaN to integer");
  if (std::isinf(x))
    return vm.Raise(Error::kOverflowError, "cannot convert float infinity to integer");
  return IntFromDouble(vm, kFunction(x));
}

Value ISqrt(Vm& vm, Args& args) {
  if (!Expect(vm, args, "isqrt", 1, 1)) return Value();
  if (!IsInt(args[0]))
    return vm.Throw(Error::kTypeError, "'{}' object cannot be interpreted as an integer",
                    vm.TypeName(args[0]));
  Value n = args[0];
  if (IntCompare(n, Value::SmallInt(0)) < 0)
    return vm.Raise(Error::kValueError, "isqrt() argument must be nonnegative");
  if (IntCompare(n, Value::SmallInt(0)) == 0) return Value::SmallInt(0);
  // Newton from above.
  const auto op = [&](Operator o, Value a, Value b) {
    return a.empty() || b.empty() ? Value() : IntBinary(vm, static_cast<int>(o), a, b);
  };
  Value x = op(Operator::kLeft, Value::SmallInt(1), Value::SmallInt((IntBitLength(n) + 1) / 2));
  for (;;) {
    Value y = op(Operator::kRight, op(Operator::kAdd, x, op(Operator::kFloorDiv, n, x)),
                 Value::SmallInt(1));
    if (y.empty()) return y;
    if (IntCompare(y, x) >= 0) return x;
    x = y;
  }
}

Value Gcd(Vm& vm, Args& args) {
  Value a = Value::SmallInt(0);
  for (uint32_t i = 0; i < args.count; ++i) {
    Value b = args[i];
    if (!IsInt(b))
      return vm.Throw(Error::kTypeError, "'{}' object cannot be interpreted as an integer",
                      vm.TypeName(b));
    while (IntCompare(b, Value::SmallInt(0)) != 0) {
      Value r = IntBinary(vm, static_cast<int>(Operator::kMod), a, b);
      if (r.empty()) return r;
      a = b;
      b = r;
    }
    if (IntCompare(a, Value::SmallInt(0)) < 0) a = IntNegate(vm, a);
  }
  return a;
}

Value Factorial(Vm& vm, Args& args) {
  int64_t n;
  if (!Expect(vm, args, "factorial", 1, 1) || !vm.ToIndex(args[0], &n, "argument", true))
    return Value();
  if (n < 0) return vm.Raise(Error::kValueError, "factorial() not defined for negative values");
  Value out = Value::SmallInt(1);
  for (int64_t i = 2; i <= n && !out.empty(); ++i)
    out = vm.ChargeSteps(1)
              ? IntBinary(vm, static_cast<int>(Operator::kMul), out, Value::SmallInt(i))
              : Value();
  return out;
}

template <typename F>
Value Test(Vm& vm, Args& args, F test) {
  double x;
  return Expect(vm, args, "math function", 1, 1) && Number(vm, args[0], &x) ? Value::Bool(test(x))
                                                                            : Value();
}
Value IsNan(Vm& vm, Args& args) {
  return Test(vm, args, [](double x) { return std::isnan(x); });
}
Value IsInf(Vm& vm, Args& args) {
  return Test(vm, args, [](double x) { return std::isinf(x); });
}
Value IsFinite(Vm& vm, Args& args) {
  return Test(vm, args, [](double x) { return std::isfinite(x); });
}

Value IsClose(Vm& vm, Args& args) {
  Value bound[4];
  static constexpr const char* kNames[] = {"a", "b", "rel_tol", "abs_tol"};
  double a, b, relative = 1e-9, absolute = 0;
  if (!BindBuiltin(vm, args, "isclose", kNames, 2, 2, bound) || !Number(vm, bound[0], &a) ||
      !Number(vm, bound[1], &b) || (!bound[2].empty() && !Number(vm, bound[2], &relative)) ||
      (!bound[3].empty() && !Number(vm, bound[3], &absolute)))
    return Value();
  if (a == b) return Value::Bool(true);
  if (std::isinf(a) || std::isinf(b)) return Value::Bool(false);
  return Value::Bool(std::fabs(a - b) <=
                     std::max(relative * std::max(std::fabs(a), std::fabs(b)), absolute));
}

Value FSum(Vm& vm, Args& args) {
  Roots roots(vm);
  Value list = roots.Add(args.count == 1 ? vm.ToList(args[0]) : Value::None());
  if (!Expect(vm, args, "fsum", 1, 1) || list.empty()) return Value();
  std::vector<double> partials;  // Shewchuk: exact, non-overlapping partial sums
  for (uint32_t i = 0; i < As<List>(list)->size; ++i) {
    double x;
    if (!Number(vm, As<List>(list)->items[i], &x)) return Value();
    size_t kept = 0;
    for (double y : partials) {
      if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
      const double high = x + y, low = y - (high - x);
      if (low != 0) partials[kept++] = low;
      x = high;
    }
    partials.resize(kept);
    partials.push_back(x);
  }
  double total = 0;
  for (double p : partials) total += p;
  return Value::Float(total);
}

double Exp(double x) {
  return std::exp(x);
}
double Sqrt(double x) {
  return std::sqrt(x);
}
double Fabs(double x) {
  return std::fabs(x);
}
double Degrees(double x) {
  return x * (180.0 / M_PI);
}
double Radians(double x) {
  return x * (M_PI / 180.0);
}

Value Hypot(Vm& vm, Args& args) {
  double total = 0;
  for (uint32_t i = 0; i < args.count; ++i) {
    double x;
    if (!Number(vm, args[i], &x)) return Value();
    total = std::hypot(total, x);
  }
  return Value::Float(total);
}

constexpr BuiltinRow kRows[] = {{"acos", Unary<std::acos>},
                                {"asin", Unary<std::asin>},
                                {"atan", Unary<std::atan>},
                                {"atan2", Binary<std::atan2>},
                                {"ceil", ToInt<std::ceil>},
                                {"copysign", Binary<std::copysign>},
                                {"cos", Unary<std::cos>},
                                {"cosh", Unary<std::cosh>},
                                {"degrees", Unary<Degrees>},
                                {"exp", Unary<Exp>},
                                {"expm1", Unary<std::expm1>},
                                {"fabs", Unary<Fabs>},
                                {"factorial", Factorial},
                                {"floor", ToInt<std::floor>},
                                {"fmod", Binary<std::fmod>},
                                {"fsum", FSum, true},
                                {"gcd", Gcd},
                                {"hypot", Hypot},
                                {"isclose", IsClose},
                                {"isfinite", IsFinite},
                                {"isinf", IsInf},
                                {"isnan", IsNan},
                                {"isqrt", ISqrt},
                                {"log", Log},
                                {"log10", LogFixed<std::log10>},
                                {"log1p", Unary<std::log1p>},
                                {"log2", LogFixed<std::log2>},
                                {"pow", Binary<std::pow>},
                                {"radians", Unary<Radians>},
                                {"sin", Unary<std::sin>},
                                {"sinh", Unary<std::sinh>},
                                {"sqrt", Unary<Sqrt>},
                                {"tan", Unary<std::tan>},
                                {"tanh", Unary<std::tanh>},
                                {"trunc", ToInt<std::trunc>}};

}  // namespace

Value MakeMath(Vm& vm) {
  Value v = MakeModule(vm, "math", kRows);
  if (v.empty()) return v;
  auto* module = As<Module>(v);
  const bool ok = vm.SetVariable(module, "pi", Value::Float(M_PI)) &&
                  vm.SetVariable(module, "e", Value::Float(M_E)) &&
                  vm.SetVariable(module, "tau", Value::Float(2 * M_PI)) &&
                  vm.SetVariable(module, "inf", Value::Float(HUGE_VAL)) &&
                  vm.SetVariable(module, "nan", Value::Float(NAN));
  return ok ? v : Value();
}

}  // namespace ferry::vm
