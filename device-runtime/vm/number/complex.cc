#include "device-runtime/vm/number/complex.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/text/text.h"
#include "device-runtime/vm/text/unicode.h"

namespace ferry::vm {
namespace {

constexpr double kLargestWholeExponent = 100;  // up to here powers are products

ComplexParts WholePower(ComplexParts base, int64_t exponent) {
  ComplexParts out{1, 0};
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) out = ComplexMultiply(out, base);
    base = ComplexMultiply(base, base);
  }
  return out;
}

// By polar coordinates.
ComplexParts PolarPower(ComplexParts a, ComplexParts b) {
  const double size = std::hypot(a.real, a.imaginary);
  const double angle = std::atan2(a.imaginary, a.real);
  double length = std::pow(size, b.real), turn = angle * b.real;
  if (b.imaginary != 0) {
    length /= std::exp(angle * b.imaginary);
    turn += b.imaginary * std::log(size);
  }
  return {length * std::cos(turn), length * std::sin(turn)};
}

// A float at the start of `s`, with its sign; nullptr: none. Only forms that Python has.
bool TakeFloat(std::string_view s, size_t* at, double* out) {
  size_t i = *at;
  const auto digits = [&] {
    const size_t from = i;
    while (i < s.size() && s[i] >= '0' && s[i] <= '9') ++i;
    return i - from;
  };
  const auto word = [&](std::string_view name) {
    if (s.size() - i < name.size()) return false;
    for (size_t k = 0; k < name.size(); ++k)
      if ((s[i + k] | 0x20) != name[k]) return false;
    i += name.size();
    return true;
  };
  if (i < s.size() && (s[i] == '+' || s[i] == '-')) ++i;
  if (!word("infinity") && !word("inf") && !word("nan")) {
    size_t count = digits();
    if (i < s.size() && s[i] == '.') {
      ++i;
      count += digits();
    }
    if (count == 0) return false;
    if (i < s.size() && (s[i] | 0x20) == 'e') {
      const size_t mark = i++;
      if (i < s.size() && (s[i] == '+' || s[i] == '-')) ++i;
      if (digits() == 0) i = mark;
    }
  }
  *out = std::strtod(std::string(s.substr(*at, i - *at)).c_str(), nullptr);
  *at = i;
  return true;
}

// real, imaginary 'j', or both.
bool ReadComplex(std::string_view s, ComplexParts* out) {
  size_t at = 0;
  const auto unit = [&] { return at < s.size() && (s[at] | 0x20) == 'j'; };
  const auto sign = [&] { return at < s.size() && (s[at] == '+' || s[at] == '-'); };
  // A sign alone before j is one.
  const auto imaginary = [&](double* part) {
    if (TakeFloat(s, &at, part)) return true;
    *part = 1;
    if (sign()) *part = s[at++] == '-' ? -1 : 1;
    return unit();
  };
  double first;
  if (!TakeFloat(s, &at, &first)) {
    if (!imaginary(&out->imaginary)) return false;
    return ++at == s.size();
  }
  if (unit()) {
    out->imaginary = first;
    return ++at == s.size();
  }
  out->real = first;
  if (at == s.size()) return true;
  if (!sign() || !imaginary(&out->imaginary) || !unit()) return false;
  return ++at == s.size();
}

}  // namespace

Value Vm::NewComplex(double real, double imaginary) {
  auto* out = Cast<Complex>(heap.NewObject(Type::kComplex, sizeof(Complex)));
  if (out == nullptr) return OutOfMemory();
  out->real = real;
  out->imaginary = imaginary;
  return Value::Of(out);
}

bool ToComplex(Vm& vm, Value v, ComplexParts* out) {
  *out = {};
  if (IsComplex(v)) {
    *out = {As<Complex>(v)->real, As<Complex>(v)->imaginary};
    return true;
  }
  out->real = v.IsFloat() ? v.AsFloat() : IntToDouble(v);
  if (v.IsFloat() || std::isfinite(out->real)) return true;
  vm.Raise(Error::kOverflowError, "int too large to convert to float");
  return false;
}

ComplexParts ComplexMultiply(ComplexParts a, ComplexParts b) {
  return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}

// Smith's method: by the larger part, so that nothing overflows between.
bool ComplexDivide(ComplexParts a, ComplexParts b, ComplexParts* out) {
  const double x = std::fabs(b.real), y = std::fabs(b.imaginary);
  if (x >= y) {
    if (x == 0) return false;
    const double ratio = b.imaginary / b.real, size = b.real + b.imaginary * ratio;
    *out = {(a.real + a.imaginary * ratio) / size, (a.imaginary - a.real * ratio) / size};
  } else if (y >= x) {
    const double ratio = b.real / b.imaginary, size = b.real * ratio + b.imaginary;
    *out = {(a.real * ratio + a.imaginary) / size, (a.imaginary * ratio - a.real) / size};
  } else {
    *out = {NAN, NAN};
  }
  return true;
}

Value ComplexPower(Vm& vm, ComplexParts a, ComplexParts b) {
  ComplexParts out;
  if (b.imaginary == 0 && b.real == std::floor(b.real) &&
      std::fabs(b.real) <= kLargestWholeExponent) {
    const auto whole = static_cast<int64_t>(std::fabs(b.real));
    out = WholePower(a, whole);
    if (b.real < 0 && !ComplexDivide({1, 0}, out, &out))
      return vm.Raise(Error::kZeroDivisionError, "0.0 to a negative or complex power");
  } else if (a.real == 0 && a.imaginary == 0) {
    if (b.imaginary != 0 || b.real < 0)
      return vm.Raise(Error::kZeroDivisionError, "0.0 to a negative or complex power");
  } else {
    out = PolarPower(a, b);
  }
  if (std::isinf(out.real) || std::isinf(out.imaginary))
    return vm.Raise(Error::kOverflowError, "complex exponentiation");
  return vm.NewComplex(out.real, out.imaginary);
}

Value ComplexBinary(Vm& vm, int op, Value a, Value b, bool* handled) {
  ComplexParts x, y, out;
  *handled = true;
  const auto kind = static_cast<Operator>(op);
  if (kind > Operator::kPow || kind == Operator::kFloorDiv || kind == Operator::kMod) {
    *handled = false;
    return Value();
  }
  if (!ToComplex(vm, a, &x) || !ToComplex(vm, b, &y)) return Value();
  switch (kind) {
    case Operator::kAdd:
      return vm.NewComplex(x.real + y.real, x.imaginary + y.imaginary);
    case Operator::kSub:
      return vm.NewComplex(x.real - y.real, x.imaginary - y.imaginary);
    case Operator::kMul:
      out = ComplexMultiply(x, y);
      break;
    case Operator::kDiv:
      if (!ComplexDivide(x, y, &out))
        return vm.Raise(Error::kZeroDivisionError, "complex division by zero");
      break;
    default:
      return ComplexPower(vm, x, y);
  }
  return vm.NewComplex(out.real, out.imaginary);
}

std::string PartRepr(double d) {
  std::string text = FloatRepr(d);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string ComplexRepr(ComplexParts c) {
  const std::string imaginary = PartRepr(c.imaginary) + "j";
  if (c.real == 0 && !std::signbit(c.real)) return imaginary;
  return "(" + PartRepr(c.real) + (imaginary[0] == '-' ? "" : "+") + imaginary + ")";
}

Value ParseComplex(Vm& vm, std::string_view text) {
  std::string plain;  // with ASCII's digits
  if (!IsAscii(text)) {
    if (!vm.Scratch(text.size())) return Value();
    plain = AsciiDigits(text);
    text = plain;
  }
  const auto strip = [](std::string_view s) {
    while (!s.empty() && IsSpace(static_cast<unsigned char>(s.front()))) s.remove_prefix(1);
    while (!s.empty() && IsSpace(static_cast<unsigned char>(s.back()))) s.remove_suffix(1);
    return s;
  };
  std::string_view s = strip(text);
  if (s.size() > 1 && s.front() == '(' && s.back() == ')') s = strip(s.substr(1, s.size() - 2));
  std::string clean;
  bool good = true;
  for (size_t i = 0; i < s.size(); ++i) {
    if (s[i] != '_') {
      clean.push_back(s[i]);
      continue;
    }
    const auto digit = [&](size_t k) { return k < s.size() && s[k] >= '0' && s[k] <= '9'; };
    good = good && i > 0 && digit(i - 1) && digit(i + 1);
  }
  ComplexParts out;
  if (!good || !ReadComplex(clean, &out))
    return vm.Raise(Error::kValueError, "complex() arg is a malformed string");
  return vm.NewComplex(out.real, out.imaginary);
}

}  // namespace ferry::vm
