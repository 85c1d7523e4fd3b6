#include "device-runtime/vm/lib/modules/math/real.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/number/real.h"

namespace ferry::vm {
namespace {

// The name of a function as a template argument.
template <size_t kSize>
struct Name {
  constexpr Name(const char (&text)[kSize]) { std::copy(text, text + kSize, value); }
  char value[kSize];
};

Value Domain(Vm& vm) {
  return vm.Raise(Error::kValueError, "math domain error");
}
Value RangeError(Vm& vm) {
  return vm.Raise(Error::kOverflowError, "math range error");
}

// What an infinite value of a finite one means.
enum class Endless : uint8_t { kDomain, kRange, kValue };

// A function of one double: NaN from a number is outside its domain.
Value UnaryOf(Vm& vm, Args& args, const char* name, double (*function)(double), Endless endless) {
  double x;
  if (!ExpectOne(vm, args, "math", name) || !ToReal(vm, args[0], &x)) return Value();
  const double y = function(x);
  if (std::isnan(y) && !std::isnan(x)) return Domain(vm);
  if (std::isinf(y) && std::isfinite(x) && endless != Endless::kValue)
    return endless == Endless::kRange ? RangeError(vm) : Domain(vm);
  return Value::Float(y);
}
template <Name kName, double (*kFunction)(double), Endless kEndless = Endless::kDomain>
Value Unary(Vm& vm, Args& args) {
  return UnaryOf(vm, args, kName.value, kFunction, kEndless);
}

// The commonest of them, without a call of the library.
Value Sqrt(Vm& vm, Args& args) {
  double x;
  if (!ExpectOne(vm, args, "math", "sqrt") || !ToReal(vm, args[0], &x)) return Value();
  return x < 0 ? Domain(vm) : Value::Float(std::sqrt(x));
}

Value BinaryOf(Vm& vm, Args& args, const char* name, double (*function)(double, double)) {
  double x, y;
  if (!ExpectSome(vm, args, "math", name, 2, 2) || !ToReal(vm, args[0], &x) ||
      !ToReal(vm, args[1], &y))
    return Value();
  const double z = function(x, y);
  if (std::isnan(z) && !std::isnan(x) && !std::isnan(y)) return Domain(vm);
  if (std::isinf(z) && std::isfinite(x) && std::isfinite(y)) return RangeError(vm);
  return Value::Float(z);
}
template <Name kName, double (*kFunction)(double, double)>
Value Binary(Vm& vm, Args& args) {
  return BinaryOf(vm, args, kName.value, kFunction);
}

Value Pow(Vm& vm, Args& args) {
  double x, y;
  if (!ExpectSome(vm, args, "math", "pow", 2, 2) || !ToReal(vm, args[0], &x) ||
      !ToReal(vm, args[1], &y))
    return Value();
  const double z = std::pow(x, y);
  if (std::isnan(z) && !std::isnan(x) && !std::isnan(y)) return Domain(vm);
  if (std::isinf(z) && std::isfinite(x) && std::isfinite(y))
    return x == 0 ? Domain(vm) : RangeError(vm);
  return Value::Float(z);
}

// Of an int beyond doubles: by its leading bits and a power of two.
bool LogOf(Vm& vm, Value v, double (*log)(double), double* out) {
  double x;
  if (IsInt(v)) {
    if (IntSign(v) <= 0) {
      Domain(vm);
      return false;
    }
    x = IntToDouble(v);
    if (std::isinf(x)) {
      const int64_t bits = IntBitLength(v);
      Value head =
          IntBinary(vm, static_cast<int>(Operator::kRight), v, Value::SmallInt(bits - 1000));
      if (head.empty()) return false;
      const double fraction = std::ldexp(IntToDouble(head), -1000);
      *out = log(fraction) + log(2.0) * static_cast<double>(bits);
      return true;
    }
  } else if (!ToReal(vm, v, &x)) {
    return false;
  }
  if (x <= 0) {
    Domain(vm);
    return false;
  }
  *out = log(x);
  return true;
}

Value Log(Vm& vm, Args& args) {
  double x, base;
  if (args.keywords() == 0 && (args.count < 1 || args.count > 2))
    return vm.Raise(Error::kTypeError, "math.log requires 1 to 2 arguments");
  if (!ExpectSome(vm, args, "math", "log", 1, 2) || !LogOf(vm, args[0], std::log, &x))
    return Value();
  if (args.count == 1) return Value::Float(x);
  if (!LogOf(vm, args[1], std::log, &base)) return Value();
  if (base == 0) return vm.Raise(Error::kZeroDivisionError, "float division by zero");
  return Value::Float(x / base);
}
template <Name kName, double (*kFunction)(double)>
Value LogFixed(Vm& vm, Args& args) {
  double x;
  return ExpectOne(vm, args, "math", kName.value) && LogOf(vm, args[0], kFunction, &x)
             ? Value::Float(x)
             : Value();
}

double Degrees(double x) {
  return x * (180.0 / M_PI);
}
double Radians(double x) {
  return x * (M_PI / 180.0);
}
// The sum of Lanczos's approximation with g = kLanczosG and thirteen terms, as a quotient of two
// polynomials: the constants that numerical libraries share.
constexpr double kLanczosG = 6.024680040776729583740234375;
double LanczosSum(double x) {
  static constexpr double kAbove[] = {23531376880.410759688572007674451636754734846804940,
                                      42919803642.649098768957899047001988850926355848959,
                                      35711959237.355668049440185451547166705960488635843,
                                      17921034426.037209699919755754458931112671403265390,
                                      6039542586.3520280050642916443072979210699388420708,
                                      1439720407.3117216736632230727949123939715485786772,
                                      248874557.86205415651146038641322942321632125127801,
                                      31426415.585400194380614231628318205362874684987640,
                                      2876370.6289353724412254090516208496135991145378768,
                                      186056.26539522349504029498971604569928220784236328,
                                      8071.6720023658162106380029022722506138218516325024,
                                      210.82427775157934587250973392071336271166969580291,
                                      2.5066282746310002701649081771338373386264310793408};
  static constexpr double kBelow[] = {0,        39916800, 120543840, 150917976, 105258076,
                                      45995730, 13339535, 2637558,   357423,    32670,
                                      1925,     66,       1};
  constexpr int kTerms = std::size(kAbove);
  double above = 0, below = 0;
  for (int i = 0; i < kTerms; ++i) {
    if (x < 5) {
      above = above * x + kAbove[kTerms - 1 - i];
      below = below * x + kBelow[kTerms - 1 - i];
    } else {
      above = above / x + kAbove[i];
      below = below / x + kBelow[i];
    }
  }
  return above / below;
}
// sin(pi x), exact where that is 0.
double SinPi(double x) {
  const double y = std::fmod(std::fabs(x), 2.0);
  const int part = static_cast<int>(std::round(2.0 * y));
  const double r = part == 0   ? std::sin(M_PI * y)
                   : part == 1 ? std::cos(M_PI * (y - 0.5))
                   : part == 2 ? std::sin(M_PI * (1.0 - y))
                   : part == 3 ? -std::cos(M_PI * (y - 1.5))
                               : std::sin(M_PI * (y - 2.0));
  return std::copysign(1.0, x) * r;
}
// What rounding took from x + g - 1/2, as a share of it.
double Lost(double size, double sum) {
  constexpr double kShift = kLanczosG - 0.5;
  return (size > kShift ? sum - size - kShift : sum - kShift - size) * kLanczosG / sum;
}
double Gamma(double x) {
  if (std::isnan(x) || x == HUGE_VAL) return x;
  if (x == 0) return NAN;
  if (x == std::floor(x)) {
    if (x < 0) return NAN;
    if (x <= 23) {
      double out = 1;
      for (int i = 2; i < static_cast<int>(x); ++i) out *= i;
      return out;
    }
  }
  const double size = std::fabs(x);
  if (size < 1e-20) return 1.0 / x;
  if (size > 200) return x < 0 ? 0.0 / SinPi(x) : HUGE_VAL;
  const double sum = size + (kLanczosG - 0.5), lost = Lost(size, sum);
  double r;
  if (x < 0) {
    r = -M_PI / SinPi(size) / size * std::exp(sum) / LanczosSum(size);
    r -= lost * r;
  } else {
    r = LanczosSum(size) / std::exp(sum);
    r += lost * r;
  }
  // In two steps where one would overflow.
  const bool once = size < 140;
  const double power = std::pow(sum, once ? size - 0.5 : size / 2.0 - 0.25);
  for (int i = once ? 1 : 0; i < 2; ++i) r = x < 0 ? r / power : r * power;
  return r;
}
double LogGamma(double x) {
  if (std::isinf(x)) return HUGE_VAL;
  if (x == std::floor(x) && x <= 2) return x <= 0 ? NAN : 0;
  const double size = std::fabs(x);
  if (size < 1e-20) return -std::log(size);
  double r = std::log(LanczosSum(size)) - kLanczosG;
  r += (size - 0.5) * (std::log(size + kLanczosG - 0.5) - 1);
  if (x < 0) r = std::log(M_PI) - std::log(std::fabs(SinPi(size))) - std::log(size) - r;
  return r;
}
double Ulp(double x) {
  if (!std::isfinite(x)) return std::fabs(x);
  x = std::fabs(x);
  const double above = std::nextafter(x, HUGE_VAL);
  return std::isinf(above) ? x - std::nextafter(x, -HUGE_VAL) : above - x;
}
Value UlpOf(Vm& vm, Args& args) {
  double x;
  return ExpectOne(vm, args, "math", "ulp") && ToReal(vm, args[0], &x) ? Value::Float(Ulp(x))
                                                                       : Value();
}
Value NextAfter(Vm& vm, Args& args) {
  double x, y;
  return ExpectSome(vm, args, "math", "nextafter", 2, 2) && ToReal(vm, args[0], &x) &&
                 ToReal(vm, args[1], &y)
             ? Value::Float(std::nextafter(x, y))
             : Value();
}

Value Frexp(Vm& vm, Args& args) {
  double x;
  int exponent = 0;
  if (!ExpectOne(vm, args, "math", "frexp") || !ToReal(vm, args[0], &x)) return Value();
  Value pair[] = {Value::Float(std::isfinite(x) ? std::frexp(x, &exponent) : x), Value()};
  pair[1] = Value::SmallInt(exponent);
  return vm.NewTuple(pair, 2);
}
Value Modf(Vm& vm, Args& args) {
  double x, whole;
  if (!ExpectOne(vm, args, "math", "modf") || !ToReal(vm, args[0], &x)) return Value();
  Value pair[] = {Value::Float(std::modf(x, &whole)), Value()};
  pair[1] = Value::Float(whole);
  return vm.NewTuple(pair, 2);
}
Value Ldexp(Vm& vm, Args& args) {
  double x;
  int64_t exponent;
  if (!ExpectSome(vm, args, "math", "ldexp", 2, 2) || !ToReal(vm, args[0], &x)) return Value();
  if (!IsInt(args[1]))
    return vm.Raise(Error::kTypeError, "Expected an int as second argument to ldexp.");
  if (!vm.ToIndex(args[1], &exponent, "exponent", true)) return Value();
  const double y = std::ldexp(x, static_cast<int>(std::clamp<int64_t>(exponent, -100000, 100000)));
  return std::isinf(y) && std::isfinite(x) ? RangeError(vm) : Value::Float(y);
}

template <Name kName, bool (*kTest)(double)>
Value Test(Vm& vm, Args& args) {
  double x;
  return ExpectOne(vm, args, "math", kName.value) && ToReal(vm, args[0], &x) ? Value::Bool(kTest(x))
                                                                             : Value();
}

Value IsClose(Vm& vm, Args& args) {
  Value bound[4];
  static constexpr const char* kNames[] = {"a", "b", "rel_tol", "abs_tol"};
  double a, b, relative = 1e-9, absolute = 0;
  if (!BindBuiltin(vm, args, "isclose", kNames, 2, 2, bound) || !ToReal(vm, bound[0], &a) ||
      !ToReal(vm, bound[1], &b) || (!bound[2].empty() && !ToReal(vm, bound[2], &relative)) ||
      (!bound[3].empty() && !ToReal(vm, bound[3], &absolute)))
    return Value();
  if (relative < 0 || absolute < 0)
    return vm.Raise(Error::kValueError, "tolerances must be non-negative");
  if (a == b) return Value::Bool(true);
  if (std::isinf(a) || std::isinf(b)) return Value::Bool(false);
  const double difference = std::fabs(b - a);
  return Value::Bool(difference <= std::fabs(relative * b) ||
                     difference <= std::fabs(relative * a) || difference <= absolute);
}

// floor, ceil, trunc: by the method of what is no float.
Value ToWholeOf(Vm& vm, Args& args, const char* name, const char* special,
                double (*function)(double)) {
  if (!ExpectOne(vm, args, "math", name)) return Value();
  double x;
  if (args[0].IsFloat()) {
    x = args[0].AsFloat();
  } else if (IsInt(args[0])) {
    return IntRound(vm, args[0], 0);
  } else {
    String* method = vm.Intern(special);
    bool found = false;
    Value result =
        method == nullptr ? Value() : vm.CallSpecial(args[0], method, nullptr, 0, &found);
    if (found || vm.failed()) return result;
    if (name[0] == 't')
      return vm.Throw(Error::kTypeError, "type {} doesn't define __trunc__ method",
                      vm.TypeName(args[0]));
    if (!ToReal(vm, args[0], &x)) return Value();
  }
  if (std::isnan(x)) return vm.Raise(Error::kValueError, "cannot convert float NaN to integer");
  if (std::isinf(x))
    return vm.Raise(Error::kOverflowError, "cannot convert float infinity to integer");
  return IntFromDouble(vm, function(x));
}
template <Name kName, Name kSpecial, double (*kFunction)(double)>
Value ToWhole(Vm& vm, Args& args) {
  return ToWholeOf(vm, args, kName.value, kSpecial.value, kFunction);
}

bool IsNan(double x) {
  return std::isnan(x);
}
bool IsInf(double x) {
  return std::isinf(x);
}
bool IsFinite(double x) {
  return std::isfinite(x);
}

constexpr BuiltinRow kRows[] = {{"acos", Unary<"acos", std::acos>},
                                {"acosh", Unary<"acosh", std::acosh>},
                                {"asin", Unary<"asin", std::asin>},
                                {"asinh", Unary<"asinh", std::asinh>},
                                {"atan", Unary<"atan", std::atan>},
                                {"atan2", Binary<"atan2", std::atan2>},
                                {"atanh", Unary<"atanh", std::atanh>},
                                {"cbrt", Unary<"cbrt", std::cbrt>},
                                {"ceil", ToWhole<"ceil", "__ceil__", std::ceil>, true},
                                {"copysign", Binary<"copysign", std::copysign>},
                                {"cos", Unary<"cos", std::cos>},
                                {"cosh", Unary<"cosh", std::cosh, Endless::kRange>},
                                {"degrees", Unary<"degrees", Degrees, Endless::kValue>},
                                {"erf", Unary<"erf", std::erf>},
                                {"erfc", Unary<"erfc", std::erfc>},
                                {"exp", Unary<"exp", std::exp, Endless::kRange>},
                                {"exp2", Unary<"exp2", std::exp2, Endless::kRange>},
                                {"expm1", Unary<"expm1", std::expm1, Endless::kRange>},
                                {"fabs", Unary<"fabs", std::fabs>},
                                {"floor", ToWhole<"floor", "__floor__", std::floor>, true},
                                {"fmod", Binary<"fmod", std::fmod>},
                                {"frexp", Frexp},
                                {"gamma", Unary<"gamma", Gamma, Endless::kRange>},
                                {"isclose", IsClose},
                                {"isfinite", Test<"isfinite", IsFinite>},
                                {"isinf", Test<"isinf", IsInf>},
                                {"isnan", Test<"isnan", IsNan>},
                                {"ldexp", Ldexp},
                                {"lgamma", Unary<"lgamma", LogGamma, Endless::kRange>},
                                {"log", Log},
                                {"log10", LogFixed<"log10", std::log10>},
                                {"log1p", Unary<"log1p", std::log1p>},
                                {"log2", LogFixed<"log2", std::log2>},
                                {"modf", Modf},
                                {"nextafter", NextAfter},
                                {"pow", Pow},
                                {"radians", Unary<"radians", Radians>},
                                {"remainder", Binary<"remainder", std::remainder>},
                                {"sin", Unary<"sin", std::sin>},
                                {"sinh", Unary<"sinh", std::sinh, Endless::kRange>},
                                {"sqrt", Sqrt},
                                {"tan", Unary<"tan", std::tan>},
                                {"tanh", Unary<"tanh", std::tanh>},
                                {"trunc", ToWhole<"trunc", "__trunc__", std::trunc>, true},
                                {"ulp", UlpOf}};

}  // namespace

std::span<const BuiltinRow> MathRealRows() {
  return kRows;
}

bool ExpectOne(Vm& vm, const Args& args, const char* module, const char* name) {
  if (args.keywords() > 0) {
    vm.Throw(Error::kTypeError, "{}.{}() takes no keyword arguments", module, name);
    return false;
  }
  if (args.count == 1) return true;
  vm.Throw(Error::kTypeError, "{}.{}() takes exactly one argument ({} given)", module, name,
           args.count);
  return false;
}

bool ExpectSome(Vm& vm, const Args& args, const char* module, const char* name, uint32_t min,
                uint32_t max) {
  if (args.keywords() > 0) {
    vm.Throw(Error::kTypeError, "{}.{}() takes no keyword arguments", module, name);
    return false;
  }
  if (args.count >= min && args.count <= max) return true;
  const uint32_t bound = args.count < min ? min : max;
  vm.Throw(Error::kTypeError, "{} expected {}{} argument{}, got {}", name,
           min == max         ? ""
           : args.count < min ? "at least "
                              : "at most ",
           bound, bound == 1 ? "" : "s", args.count);
  return false;
}

}  // namespace ferry::vm
