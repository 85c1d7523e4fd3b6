// complex: making and methods.
#include <cmath>

#include "device-runtime/vm/exec/failure/warnings.h"
#include "device-runtime/vm/lib/method.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/number/complex.h"
#include "device-runtime/vm/number/real.h"

namespace ferry::vm {
namespace {

Complex* Self(const Args& args) {
  return As<Complex>(args[0]);
}

// A part given to complex(): complex numbers, __complex__, real numbers. *is_complex says that it
// was no real number.
bool Part(Vm& vm, Value v, const char* what, bool hook, ComplexParts* out, bool* is_complex) {
  *is_complex = IsComplex(v);
  if (IsComplex(v)) return ToComplex(vm, v, out);
  if (hook && v.IsObject() && !IsInt(v)) {
    String* name = vm.Intern("__complex__");
    bool found = false;
    Value result = name == nullptr ? Value() : vm.CallSpecial(v, name, nullptr, 0, &found);
    if (found && result.empty()) return false;
    if (found && !CheckReturned(vm, "__complex__", &result, "complex")) return false;
    if (found) {
      *is_complex = true;
      return ToComplex(vm, result, out);
    }
  }
  *out = {};
  if (ToReal(vm, v, &out->real, true)) return true;
  if (vm.FindInClass(vm.ClassOf(v), vm.names.to_float).empty() &&
      vm.FindInClass(vm.ClassOf(v), vm.names.index).empty() && !IsInt(v) &&
      vm.TakePending(Error::kTypeError))
    vm.Throw(Error::kTypeError, "complex() {} must be a {}number, not '{}'", what,
             hook ? "string or a " : "", vm.TypeName(v));
  return false;
}

Value NewComplexOf(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"real", "imag"};
  Value bound[2];
  if (!BindBuiltin(vm, args, "complex", kNames, 0, 2, bound)) return Value();
  if (!bound[0].empty() && IsStr(bound[0])) {
    if (!bound[1].empty())
      return vm.Raise(Error::kTypeError, "complex() can't take second arg if first is a string");
    return ParseComplex(vm, Text(bound[0]));
  }
  if (!bound[1].empty() && IsStr(bound[1]))
    return vm.Raise(Error::kTypeError, "complex() second arg can't be a string");
  ComplexParts real, imaginary;
  bool real_complex = false, imaginary_complex = false;
  if (!bound[0].empty() && !Part(vm, bound[0], "first argument", true, &real, &real_complex))
    return Value();
  if (bound[1].empty()) return vm.NewComplex(real.real, real.imaginary);
  if (!Part(vm, bound[1], "second argument", false, &imaginary, &imaginary_complex)) return Value();
  double a = real.real, b = imaginary.real;
  if (imaginary_complex) a -= imaginary.imaginary;
  if (real_complex) b += real.imaginary;
  return vm.NewComplex(a, b);
}

Value Conjugate(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "conjugate", 0, 0)) return Value();
  return vm.NewComplex(Self(args)->real, -Self(args)->imaginary);
}
Value Same(Vm& vm, Args& args) {
  return vm.NewComplex(Self(args)->real, Self(args)->imaginary);
}
Value Absolute(Vm& vm, Args& args) {
  const double d = std::hypot(Self(args)->real, Self(args)->imaginary);
  if (std::isinf(d) && std::isfinite(Self(args)->real) && std::isfinite(Self(args)->imaginary))
    return vm.Raise(Error::kOverflowError, "absolute value too large");
  return Value::Float(d);
}
Value Real(Vm&, Args& args) {
  return Value::Float(Self(args)->real);
}
Value Imaginary(Vm&, Args& args) {
  return Value::Float(Self(args)->imaginary);
}
Value NewArguments(Vm& vm, Args& args) {
  Value pair[] = {Value::Float(Self(args)->real), Value::Float(Self(args)->imaginary)};
  return vm.NewTuple(pair, 2);
}

constexpr BuiltinRow kRows[] = {{"__abs__", Absolute},
                                {"__complex__", Same},
                                {"__getnewargs__", NewArguments},
                                {"__new__", NewComplexOf, true},
                                {"conjugate", Conjugate}};

}  // namespace

bool InstallComplex(Vm& vm) {
  Class* cls = vm.classes[static_cast<int>(Type::kComplex)];
  return AddMethods(vm, cls, kRows) && AddProperty(vm, cls, "real", Real) &&
         AddProperty(vm, cls, "imag", Imaginary) &&
         vm.DictSet(vm.builtins, Value::Of(cls->name), Value::Of(cls));
}

}  // namespace ferry::vm
