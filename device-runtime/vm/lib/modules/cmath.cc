// The module cmath. Source of the formulas: Kahan, "Branch cuts for complex elementary functions".
#include <cfloat>
#include <cmath>
#include <complex>

#include "device-runtime/vm/lib/modules/math/real.h"
#include "device-runtime/vm/number/complex.h"
#include "device-runtime/vm/number/real.h"

namespace ferry::vm {
namespace {

using Parts = ComplexParts;
using Std = std::complex<double>;
constexpr double kLargeExponent = 708;  // exp() of more may overflow
constexpr double kHuge = DBL_MAX / 4;

bool Finite(Parts z) {
  return std::isfinite(z.real) && std::isfinite(z.imaginary);
}
// What is not finite goes by the tables of C's Annex G.
template <Std (*kFunction)(const Std&)>
Parts Special(Parts z) {
  const Std w = kFunction(Std(z.real, z.imaginary));
  return {w.real(), w.imag()};
}

Parts Sqrt(Parts z) {
  if (!Finite(z)) return Special<std::sqrt<double>>(z);
  double x = std::fabs(z.real), y = std::fabs(z.imaginary), s;
  if (x == 0 && y == 0) return {0, z.imaginary};
  if (x < DBL_MIN && y < DBL_MIN) {
    constexpr int kUp = 54;  // even, more than the digits of a double
    x = std::ldexp(x, kUp);
    s = std::ldexp(std::sqrt((x + std::hypot(x, std::ldexp(y, kUp))) / 2), -kUp / 2);
  } else {
    x /= 8;
    s = 2 * std::sqrt(x + std::hypot(x, y / 8));
  }
  const double d = y / (2 * s);
  return z.real >= 0 ? Parts{s, std::copysign(d, z.imaginary)}
                     : Parts{d, std::copysign(s, z.imaginary)};
}

Parts Log(Parts z) {
  if (!Finite(z)) return Special<std::log<double>>(z);
  const double x = std::fabs(z.real), y = std::fabs(z.imaginary);
  double size;
  if (x > kHuge || y > kHuge) {
    size = std::log(std::hypot(x / 2, y / 2)) + M_LN2;
  } else if (x < DBL_MIN && y < DBL_MIN) {
    if (x == 0 && y == 0) return {-HUGE_VAL, std::atan2(z.imaginary, z.real)};
    size = std::log(std::hypot(std::ldexp(x, DBL_MANT_DIG), std::ldexp(y, DBL_MANT_DIG))) -
           DBL_MANT_DIG * M_LN2;
  } else {
    const double h = std::hypot(x, y);
    if (h >= 0.71 && h <= 1.73) {
      const double large = std::max(x, y), small = std::min(x, y);
      size = std::log1p((large - 1) * (large + 1) + small * small) / 2;
    } else {
      size = std::log(h);
    }
  }
  return {size, std::atan2(z.imaginary, z.real)};
}

Parts Exp(Parts z) {
  if (!Finite(z)) return Special<std::exp<double>>(z);
  if (z.real > kLargeExponent) {
    const double size = std::exp(z.real - 1);
    return {size * std::cos(z.imaginary) * M_E, size * std::sin(z.imaginary) * M_E};
  }
  const double size = std::exp(z.real);
  return {size * std::cos(z.imaginary), size * std::sin(z.imaginary)};
}

Parts Cosh(Parts z) {
  if (!Finite(z)) return Special<std::cosh<double>>(z);
  if (std::fabs(z.real) > kLargeExponent) {
    const double x = z.real - std::copysign(1, z.real);
    return {std::cos(z.imaginary) * std::cosh(x) * M_E, std::sin(z.imaginary) * std::sinh(x) * M_E};
  }
  return {std::cos(z.imaginary) * std::cosh(z.real), std::sin(z.imaginary) * std::sinh(z.real)};
}
Parts Sinh(Parts z) {
  if (!Finite(z)) return Special<std::sinh<double>>(z);
  if (std::fabs(z.real) > kLargeExponent) {
    const double x = z.real - std::copysign(1, z.real);
    return {std::cos(z.imaginary) * std::sinh(x) * M_E, std::sin(z.imaginary) * std::cosh(x) * M_E};
  }
  return {std::cos(z.imaginary) * std::sinh(z.real), std::sin(z.imaginary) * std::cosh(z.real)};
}
Parts Tanh(Parts z) {
  if (!Finite(z)) return Special<std::tanh<double>>(z);
  if (std::fabs(z.real) > kLargeExponent)
    return {std::copysign(1, z.real),
            4 * std::sin(z.imaginary) * std::cos(z.imaginary) * std::exp(-2 * std::fabs(z.real))};
  const double x = std::tanh(z.real), y = std::tan(z.imaginary), c = 1 / std::cosh(z.real);
  const double both = x * y, below = 1 + both * both;
  return {x * (1 + y * y) / below, y / below * c * c};
}
// i z and back.
template <Parts (*kFunction)(Parts)>
Parts Turned(Parts z) {
  const Parts w = kFunction({-z.imaginary, z.real});
  return {w.imaginary, -w.real};
}
Parts Cos(Parts z) {
  return Cosh({-z.imaginary, z.real});
}

Parts Acos(Parts z) {
  if (!Finite(z)) return Special<std::acos<double>>(z);
  if (std::fabs(z.real) > kHuge || std::fabs(z.imaginary) > kHuge) {
    const double size = std::log(std::hypot(z.real / 2, z.imaginary / 2)) + M_LN2 * 2;
    return {std::atan2(std::fabs(z.imaginary), z.real),
            z.real < 0 ? -std::copysign(size, z.imaginary) : std::copysign(size, -z.imaginary)};
  }
  const Parts a = Sqrt({1 - z.real, -z.imaginary}), b = Sqrt({1 + z.real, z.imaginary});
  return {2 * std::atan2(a.real, b.real), std::asinh(b.real * a.imaginary - b.imaginary * a.real)};
}
Parts Acosh(Parts z) {
  if (!Finite(z)) return Special<std::acosh<double>>(z);
  if (std::fabs(z.real) > kHuge || std::fabs(z.imaginary) > kHuge)
    return {std::log(std::hypot(z.real / 2, z.imaginary / 2)) + M_LN2 * 2,
            std::atan2(z.imaginary, z.real)};
  const Parts a = Sqrt({z.real - 1, z.imaginary}), b = Sqrt({z.real + 1, z.imaginary});
  return {std::asinh(a.real * b.real + a.imaginary * b.imaginary),
          2 * std::atan2(a.imaginary, b.real)};
}
Parts Asinh(Parts z) {
  if (!Finite(z)) return Special<std::asinh<double>>(z);
  if (std::fabs(z.real) > kHuge || std::fabs(z.imaginary) > kHuge) {
    const double size = std::log(std::hypot(z.real / 2, z.imaginary / 2)) + M_LN2 * 2;
    return {z.imaginary >= 0 ? std::copysign(size, z.real) : -std::copysign(size, -z.real),
            std::atan2(z.imaginary, std::fabs(z.real))};
  }
  const Parts a = Sqrt({1 + z.imaginary, -z.real}), b = Sqrt({1 - z.imaginary, z.real});
  return {std::asinh(a.real * b.imaginary - b.real * a.imaginary),
          std::atan2(z.imaginary, a.real * b.real - a.imaginary * b.imaginary)};
}
Parts Atanh(Parts z) {
  if (!Finite(z)) return Special<std::atanh<double>>(z);
  if (z.real < 0 || (z.real == 0 && std::signbit(z.real))) {
    const Parts w = Atanh({-z.real, -z.imaginary});
    return {-w.real, -w.imaginary};
  }
  const double y = std::fabs(z.imaginary);
  const double root = std::sqrt(kHuge), least = std::sqrt(DBL_MIN);
  if (z.real > root || y > root) {
    const double h = std::hypot(z.real / 2, z.imaginary / 2);
    return {z.real / 4 / h / h, -std::copysign(M_PI / 2, -z.imaginary)};
  }
  if (z.real == 1 && y < least) {
    if (y == 0) return {HUGE_VAL, z.imaginary};
    return {-std::log(std::sqrt(y) / std::sqrt(std::hypot(y, 2))),
            std::copysign(std::atan2(2, -y) / 2, z.imaginary)};
  }
  return {std::log1p(4 * z.real / ((1 - z.real) * (1 - z.real) + y * y)) / 4,
          -std::atan2(-2 * z.imaginary, (1 - z.real) * (1 + z.real) - y * y) / 2};
}
Parts Asin(Parts z) {
  return Turned<Asinh>(z);
}
Parts Log10(Parts z) {
  const Parts w = Log(z);
  return {w.real / M_LN10, w.imaginary / M_LN10};
}

// ---- functions ----

bool Argument(Vm& vm, Value v, Parts* out) {
  if (IsComplex(v) || IsInt(v)) return ToComplex(vm, v, out);
  String* name = v.IsObject() ? vm.Intern("__complex__") : nullptr;
  bool found = false;
  if (name != nullptr) {
    Value result = vm.CallSpecial(v, name, nullptr, 0, &found);
    if (vm.failed()) return false;
    if (found && IsComplex(result)) return ToComplex(vm, result, out);
  }
  *out = {};
  return ToReal(vm, v, &out->real);
}

// NaN or infinite parts of a finite number are errors.
Value Checked(Vm& vm, Parts z, Parts w) {
  if (Finite(z) && !Finite(w)) {
    if (std::isinf(w.real) || std::isinf(w.imaginary))
      return vm.Raise(Error::kOverflowError, "math range error");
    return vm.Raise(Error::kValueError, "math domain error");
  }
  return vm.NewComplex(w.real, w.imaginary);
}

constexpr const char* kNames[] = {"acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh",
                                  "exp",  "log10", "sin",  "sinh",  "sqrt", "tan",   "tanh"};

// Whether an angle without end has no place on the circle.
bool Endless(std::string_view name, Parts z) {
  if (name == "cos" || name == "sin" || name == "tan") z = {-z.imaginary, z.real};
  if (!std::isinf(z.imaginary)) return false;
  if (name == "exp") return std::isfinite(z.real) || z.real > 0;
  if (name == "tanh" || name == "tan") return std::isfinite(z.real);
  return (name.starts_with("cos") || name.starts_with("sin")) && !std::isnan(z.real);
}

Value UnaryOf(Vm& vm, Args& args, Parts (*function)(Parts), int name) {
  Parts z;
  if (!ExpectOne(vm, args, "cmath", kNames[name]) || !Argument(vm, args[0], &z)) return Value();
  const bool pole = (name == 9 && z.real == 0 && z.imaginary == 0) ||
                    (name == 5 && z.imaginary == 0 && std::fabs(z.real) == 1) ||
                    (name == 4 && z.real == 0 && std::fabs(z.imaginary) == 1);
  if (pole || Endless(kNames[name], z)) return vm.Raise(Error::kValueError, "math domain error");
  return Checked(vm, z, function(z));
}
template <Parts (*kFunction)(Parts), int kName>
Value Unary(Vm& vm, Args& args) {
  return UnaryOf(vm, args, kFunction, kName);
}

Value LogOf(Vm& vm, Args& args) {
  Parts z, base;
  if (!ExpectSome(vm, args, "cmath", "log", 1, 2) || !Argument(vm, args[0], &z) ||
      (args.count == 2 && !Argument(vm, args[1], &base)))
    return Value();
  if (z.real == 0 && z.imaginary == 0) return vm.Raise(Error::kValueError, "math domain error");
  Parts out = Log(z);
  if (args.count == 2) {
    if (base.real == 0 && base.imaginary == 0)
      return vm.Raise(Error::kValueError, "math domain error");
    const Parts below = Log(base);
    if (!ComplexDivide(out, below, &out)) return vm.Raise(Error::kValueError, "math domain error");
  }
  return Checked(vm, z, out);
}

Value Phase(Vm& vm, Args& args) {
  Parts z;
  return ExpectOne(vm, args, "cmath", "phase") && Argument(vm, args[0], &z)
             ? Value::Float(std::atan2(z.imaginary, z.real))
             : Value();
}
Value Polar(Vm& vm, Args& args) {
  Parts z;
  if (!ExpectOne(vm, args, "cmath", "polar") || !Argument(vm, args[0], &z)) return Value();
  const double size = std::hypot(z.real, z.imaginary);
  if (std::isinf(size) && Finite(z)) return vm.Raise(Error::kOverflowError, "math range error");
  Value pair[] = {Value::Float(size), Value::Float(std::atan2(z.imaginary, z.real))};
  return vm.NewTuple(pair, 2);
}
Value Rect(Vm& vm, Args& args) {
  double size, angle;
  if (!ExpectSome(vm, args, "cmath", "rect", 2, 2) || !ToReal(vm, args[0], &size) ||
      !ToReal(vm, args[1], &angle))
    return Value();
  if (angle == 0) return vm.NewComplex(size, std::isfinite(size) ? size * angle : angle);
  if (std::isinf(angle) && size != 0 && !std::isnan(size))
    return vm.Raise(Error::kValueError, "math domain error");
  if (size == 0 && !std::isfinite(angle)) return vm.NewComplex(0, 0);
  return vm.NewComplex(size * std::cos(angle), size * std::sin(angle));
}

template <bool (*kTest)(Parts), int kName>
Value Test(Vm& vm, Args& args) {
  static constexpr const char* kTests[] = {"isfinite", "isinf", "isnan"};
  Parts z;
  return ExpectOne(vm, args, "cmath", kTests[kName]) && Argument(vm, args[0], &z)
             ? Value::Bool(kTest(z))
             : Value();
}
bool IsInf(Parts z) {
  return std::isinf(z.real) || std::isinf(z.imaginary);
}
bool IsNan(Parts z) {
  return std::isnan(z.real) || std::isnan(z.imaginary);
}

Value IsClose(Vm& vm, Args& args) {
  static constexpr const char* kKeys[] = {"a", "b", "rel_tol", "abs_tol"};
  Value bound[4];
  Parts a, b;
  double relative = 1e-9, absolute = 0;
  if (!BindBuiltin(vm, args, "isclose", kKeys, 2, 2, bound) || !Argument(vm, bound[0], &a) ||
      !Argument(vm, bound[1], &b) || (!bound[2].empty() && !ToReal(vm, bound[2], &relative)) ||
      (!bound[3].empty() && !ToReal(vm, bound[3], &absolute)))
    return Value();
  if (relative < 0 || absolute < 0)
    return vm.Raise(Error::kValueError, "tolerances must be non-negative");
  if (a.real == b.real && a.imaginary == b.imaginary) return Value::Bool(true);
  if (IsInf(a) || IsInf(b)) return Value::Bool(false);
  const double difference = std::hypot(a.real - b.real, a.imaginary - b.imaginary);
  return Value::Bool(difference <= relative * std::hypot(b.real, b.imaginary) ||
                     difference <= relative * std::hypot(a.real, a.imaginary) ||
                     difference <= absolute);
}

constexpr BuiltinRow kRows[] = {{"acos", Unary<Acos, 0>},
                                {"acosh", Unary<Acosh, 1>},
                                {"asin", Unary<Asin, 2>},
                                {"asinh", Unary<Asinh, 3>},
                                {"atan", Unary<Turned<Atanh>, 4>},
                                {"atanh", Unary<Atanh, 5>},
                                {"cos", Unary<Cos, 6>},
                                {"cosh", Unary<Cosh, 7>},
                                {"exp", Unary<Exp, 8>},
                                {"isclose", IsClose},
                                {"isfinite", Test<Finite, 0>},
                                {"isinf", Test<IsInf, 1>},
                                {"isnan", Test<IsNan, 2>},
                                {"log", LogOf},
                                {"log10", Unary<Log10, 9>},
                                {"phase", Phase},
                                {"polar", Polar},
                                {"rect", Rect},
                                {"sin", Unary<Turned<Sinh>, 10>},
                                {"sinh", Unary<Sinh, 11>},
                                {"sqrt", Unary<Sqrt, 12>},
                                {"tan", Unary<Turned<Tanh>, 13>},
                                {"tanh", Unary<Tanh, 14>}};

}  // namespace

Value MakeCmath(Vm& vm) {
  Value v = MakeModule(vm, "cmath", kRows);
  Value infinity = v.empty() ? v : vm.NewComplex(0, HUGE_VAL);
  Value nan = infinity.empty() ? infinity : vm.NewComplex(0, NAN);
  if (nan.empty()) return nan;
  auto* module = As<Module>(v);
  return vm.SetVariable(module, "pi", Value::Float(M_PI)) &&
                 vm.SetVariable(module, "e", Value::Float(M_E)) &&
                 vm.SetVariable(module, "tau", Value::Float(2 * M_PI)) &&
                 vm.SetVariable(module, "inf", Value::Float(HUGE_VAL)) &&
                 vm.SetVariable(module, "nan", Value::Float(NAN)) &&
                 vm.SetVariable(module, "infj", infinity) && vm.SetVariable(module, "nanj", nan)
             ? v
             : Value();
}

}  // namespace ferry::vm
