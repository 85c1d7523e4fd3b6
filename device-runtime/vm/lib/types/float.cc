// float and complex: making and methods.
#include <bit>
#include <cmath>

#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/lib/method.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/number/real.h"
#include "device-runtime/vm/text/text.h"
#include "device-runtime/vm/text/unicode.h"

namespace ferry::vm {
namespace {

std::string_view Stripped(std::string_view s) {
  while (!s.empty() && IsSpace(static_cast<unsigned char>(s.front()))) s.remove_prefix(1);
  while (!s.empty() && IsSpace(static_cast<unsigned char>(s.back()))) s.remove_suffix(1);
  return s;
}

double Self(const Args& args) {
  double d = 0;
  AsDouble(args[0], &d);
  return d;
}

// Every NaN that is read is one of its own.
Value Parsed(Vm& vm, double d) {
  return std::isnan(d) ? Value::NewNan(++vm.nans, std::signbit(d)) : Value::Float(d);
}

Value FloatOfText(Vm& vm, std::string_view text, bool bytes) {
  double d;
  if (ParseDouble(Stripped(text), &d)) return Parsed(vm, d);
  if (!bytes && !IsAscii(text)) {
    if (!vm.Scratch(text.size())) return Value();
    const std::string plain = AsciiDigits(text);
    if (ParseDouble(Stripped(plain), &d)) return Parsed(vm, d);
  }
  std::string shown;
  if (bytes) {
    AppendBytesRepr(text, &shown);
  } else {
    AppendQuoted(text, false, &shown);
  }
  return vm.Throw(Error::kValueError, "could not convert string to float: {}", shown);
}

Value NewFloat(Vm& vm, Args& args) {
  if (args.keywords() > 0) return vm.Raise(Error::kTypeError, "float() takes no keyword arguments");
  if (args.count > 1)
    return vm.Throw(Error::kTypeError, "float expected at most 1 argument, got {}", args.count);
  if (args.count == 0) return Value::Float(0);
  const Value v = args[0];
  if (v.IsFloat()) return v;
  if (v.IsObject() && IsFloatValue(v) && vm.FindSpecial(vm.ClassOf(v), vm.names.to_float).empty())
    return Plain(v);
  if (IsStr(v)) return FloatOfText(vm, Text(v), false);
  double d;
  if (ToReal(vm, v, &d, true)) return Value::Float(d);
  if (!vm.FindInClass(vm.ClassOf(v), vm.names.to_float).empty() ||
      !vm.FindInClass(vm.ClassOf(v), vm.names.index).empty() || IsInt(v) ||
      !vm.TakePending(Error::kTypeError))
    return Value();
  if (IsBytesLike(v)) {
    std::string copy;
    std::string_view text;
    return BytesOf(vm, v, &copy, &text) ? FloatOfText(vm, text, true) : Value();
  }
  return vm.Throw(Error::kTypeError, "float() argument must be a string or a real number, not '{}'",
                  vm.TypeName(v));
}

Value IsInteger(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "is_integer", 0, 0)) return Value();
  return Value::Bool(std::isfinite(Self(args)) && Self(args) == std::floor(Self(args)));
}
Value Hex(Vm& vm, Args& args) {
  return ExpectMethod(vm, args, "hex", 0, 0) ? vm.NewString(DoubleToHex(Self(args))) : Value();
}
Value FromHex(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "fromhex", 1, 1)) return Value();
  if (!IsStr(args[1]))
    return vm.Raise(Error::kTypeError, "bad argument type for built-in operation");
  Value v = DoubleFromHex(vm, Text(args[1]));
  if (v.empty() || As<Class>(args[0]) == vm.classes[kFloatClass]) return v;
  return vm.Call(args[0], &v, 1);
}

Value AsRatio(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "as_integer_ratio", 0, 0)) return Value();
  const double d = Self(args);
  if (std::isinf(d))
    return vm.Raise(Error::kOverflowError, "cannot convert Infinity to integer ratio");
  if (std::isnan(d)) return vm.Raise(Error::kValueError, "cannot convert NaN to integer ratio");
  int exponent;
  auto mantissa = static_cast<int64_t>(std::ldexp(std::frexp(d, &exponent), 53));
  exponent -= 53;
  if (mantissa == 0) exponent = 0;
  const int zeros = mantissa == 0 ? 0 : std::countr_zero(static_cast<uint64_t>(mantissa));
  const int shift = exponent < 0 ? std::min(zeros, -exponent) : 0;
  mantissa >>= shift;
  exponent += shift;
  Value pair[] = {vm.NewInt(mantissa), Value::SmallInt(1)};
  const int left = static_cast<int>(Operator::kLeft);
  Value& side = pair[exponent < 0 ? 1 : 0];
  if (!side.empty()) side = IntBinary(vm, left, side, Value::SmallInt(std::abs(exponent)));
  return pair[0].empty() || pair[1].empty() ? Value() : vm.NewTuple(pair, 2);
}

bool Finite(Vm& vm, double d) {
  if (std::isfinite(d)) return true;
  if (std::isnan(d)) {
    vm.Raise(Error::kValueError, "cannot convert float NaN to integer");
  } else {
    vm.Raise(Error::kOverflowError, "cannot convert float infinity to integer");
  }
  return false;
}
Value WholeOf(Vm& vm, Args& args, double (*function)(double)) {
  return Finite(vm, Self(args)) ? IntFromDouble(vm, function(Self(args))) : Value();
}
template <double (*kFunction)(double)>
Value Whole(Vm& vm, Args& args) {
  return WholeOf(vm, args, kFunction);
}

Value Round(Vm& vm, Args& args) {
  int64_t digits;
  const double d = Self(args);
  if (!ExpectMethod(vm, args, "__round__", 0, 1)) return Value();
  if (args.count == 1 || args[1].IsNone())
    return Finite(vm, d) ? IntFromDouble(vm, std::nearbyint(d)) : Value();
  if (!vm.ToIndex(args[1], &digits, "ndigits", true)) return Value();
  const double out = RoundDouble(d, digits);
  if (std::isinf(out) && std::isfinite(d))
    return vm.Raise(Error::kOverflowError, "rounded value too large to represent");
  return Value::Float(out);
}

Value Plain(Vm&, Args& args) {
  return Value::Float(Self(args));
}
Value Conjugate(Vm& vm, Args& args) {
  return ExpectMethod(vm, args, "conjugate", 0, 0) ? Plain(vm, args) : Value();
}
Value Zero(Vm&, Args&) {
  return Value::Float(0);
}
Value NewArguments(Vm& vm, Args& args) {
  Value v = Plain(vm, args);
  return vm.NewTuple(&v, 1);
}
Value GetFormat(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "__getformat__", 1, 1)) return Value();
  if (!IsStr(args[1]) || (Text(args[1]) != "double" && Text(args[1]) != "float"))
    return vm.Raise(Error::kValueError, "__getformat__() argument 1 must be 'double' or 'float'");
  return vm.NewString("IEEE, little-endian");
}

constexpr BuiltinRow kRows[] = {{"__ceil__", Whole<std::ceil>},
                                {"__floor__", Whole<std::floor>},
                                {"__getnewargs__", NewArguments},
                                {"__new__", NewFloat, true},
                                {"__round__", Round},
                                {"__trunc__", Whole<std::trunc>},
                                {"as_integer_ratio", AsRatio},
                                {"conjugate", Conjugate},
                                {"hex", Hex},
                                {"is_integer", IsInteger}};

}  // namespace

bool InstallFloat(Vm& vm) {
  Class* cls = vm.classes[kFloatClass];
  return AddMethods(vm, cls, kRows) && AddClassMethod(vm, cls, "fromhex", FromHex) &&
         AddClassMethod(vm, cls, "__getformat__", GetFormat) &&
         AddProperty(vm, cls, "real", Plain) && AddProperty(vm, cls, "imag", Zero);
}

}  // namespace ferry::vm
