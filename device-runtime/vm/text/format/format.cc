// format(): numbers and strings by their specification.
#include <algorithm>
#include <cmath>

#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/syntax/token.h"
#include "device-runtime/vm/text/format/short.h"
#include "device-runtime/vm/text/format/spec.h"
#include "device-runtime/vm/text/markup.h"
#include "device-runtime/vm/text/number_text.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

constexpr int64_t kMaxPrecision = INT32_MAX;

bool Refuse(Vm& vm, std::string_view message) {
  vm.Raise(Error::kValueError, message);
  return false;
}

void ToUpper(std::string* s) {
  for (char& c : *s)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
}

std::string SignOf(bool negative, const FormatSpec& spec) {
  if (negative) return "-";
  return spec.sign == '+' || spec.sign == ' ' ? std::string(1, spec.sign) : "";
}

bool DoubleOf(Value v, double* d) {
  if (!v.IsFloat()) return false;
  *d = v.AsFloat();
  return true;
}

bool FormatFloat(Vm& vm, double d, FormatSpec spec, std::string_view type_name, std::string* out) {
  DoubleForm form;
  char type = static_cast<char>(spec.type < 128 ? spec.type : '?');
  if (type != 0 && std::string_view("eEfFgGn%").find(type) == std::string_view::npos)
    return UnknownFormat(vm, spec.type, type_name);
  if (spec.precision > kMaxPrecision) return Refuse(vm, "precision too big");
  form.precision = spec.precision < 0 ? 6 : static_cast<int>(spec.precision);
  if (form.precision > vm.heap.limit() - vm.heap.used()) return !vm.TooLarge().empty();
  form.alternate = spec.alternate;
  if (type == '%') {
    d *= 100;
    form.type = 'f';
  } else if (type == 0) {
    form.type = spec.precision < 0 ? 'r' : 'g';
    form.point_zero = true;
  } else {
    form.type = type == 'n' ? 'g' : static_cast<char>(type | 32);
  }
  std::string text = FormatDouble(d, form);
  if (!vm.ChargeSteps(static_cast<int64_t>(text.size() / 16))) return false;
  if (type == 'E' || type == 'F' || type == 'G') ToUpper(&text);
  if (type == '%') text.push_back('%');
  NumberParts parts;
  bool negative = std::signbit(d) && !std::isnan(d);
  if (negative && spec.no_negative_zero &&
      text.substr(0, text.find_first_of("eE")).find_first_of("123456789i") == std::string::npos)
    negative = false;
  parts.sign = SignOf(negative, spec);
  size_t whole = 0;
  while (whole < text.size() && text[whole] >= '0' && text[whole] <= '9') ++whole;
  parts.digits = text.substr(0, whole);
  parts.rest = text.substr(whole);
  return PadNumber(vm, spec, std::move(parts), out);
}

bool FormatCharacter(Vm& vm, Value v, const FormatSpec& spec, std::string* out) {
  if (spec.sign != 0) return Refuse(vm, "Sign not allowed with integer format specifier 'c'");
  if (spec.alternate)
    return Refuse(vm, "Alternate form (#) not allowed with integer format specifier 'c'");
  int64_t code;
  if (!IntToInt64(v, &code)) {
    vm.Raise(Error::kOverflowError, "Python int too large to convert to C long");
    return false;
  }
  if (code < 0 || code > 0x10FFFF) {
    vm.Raise(Error::kOverflowError, "%c arg not in range(0x110000)");
    return false;
  }
  std::string body;
  AppendUtf8(static_cast<uint32_t>(code), &body);
  return PadText(vm, spec, body, out);
}

bool FormatInt(Vm& vm, Value v, const FormatSpec& spec, std::string* out) {
  if (spec.precision >= 0) return Refuse(vm, "Precision not allowed in integer format specifier");
  if (spec.no_negative_zero)
    return Refuse(vm, "Negative zero coercion (z) not allowed in integer format specifier");
  if (spec.type == 'c') return FormatCharacter(vm, v, spec, out);
  const char type = static_cast<char>(spec.type);
  const int base = type == 'x' || type == 'X' ? 16 : type == 'o' ? 8 : type == 'b' ? 2 : 10;
  NumberParts parts;
  if (!IntDigits(vm, v, base, &parts.digits)) return false;
  const bool negative = parts.digits[0] == '-';
  if (negative) parts.digits.erase(0, 1);
  parts.sign = SignOf(negative, spec);
  if (type == 'X') ToUpper(&parts.digits);
  if (base != 10) parts.group_size = 4;
  if (base != 10 && spec.alternate) parts.prefix = {'0', type};
  return PadNumber(vm, spec, std::move(parts), out);
}

bool FormatNumber(Vm& vm, Value v, std::string_view text, std::string* out) {
  const std::string_view name = vm.TypeName(v);
  double d;
  const bool real = DoubleOf(v, &d);
  FormatSpec spec;
  if (!ParseFormatSpec(vm, text, name, real ? 0 : 'd', '>', &spec)) return false;
  if (real) return FormatFloat(vm, d, spec, name, out);
  const char type = static_cast<char>(spec.type < 128 ? spec.type : '?');
  if (type != 0 && std::string_view("bcdoxXn").find(type) != std::string_view::npos)
    return FormatInt(vm, v, spec, out);
  if (std::string_view("eEfFgG%").find(type) == std::string_view::npos || type == 0)
    return UnknownFormat(vm, spec.type, name);
  d = IntToDouble(v);
  if (std::isinf(d)) {
    vm.Raise(Error::kOverflowError, "int too large to convert to float");
    return false;
  }
  return FormatFloat(vm, d, spec, name, out);
}

bool FormatString(Vm& vm, Value v, std::string_view text, std::string* out) {
  const std::string_view name = vm.TypeName(v);
  FormatSpec spec;
  if (!ParseFormatSpec(vm, text, name, 's', '<', &spec)) return false;
  if (spec.type != 's') return UnknownFormat(vm, spec.type, name);
  if (spec.sign != 0)
    return Refuse(vm, spec.sign == ' ' ? "Space not allowed in string format specifier"
                                       : "Sign not allowed in string format specifier");
  if (spec.no_negative_zero)
    return Refuse(vm, "Negative zero coercion (z) not allowed in string format specifier");
  if (spec.alternate)
    return Refuse(vm, "Alternate form (#) not allowed in string format specifier");
  if (spec.align == '=') return Refuse(vm, "'=' alignment not allowed in string format specifier");
  std::string_view body = Text(v);
  if (spec.precision >= 0 && spec.precision < As<String>(v)->length)
    body = body.substr(0, Utf8Offset(body, static_cast<size_t>(spec.precision)));
  return PadText(vm, spec, body, out);
}

// One part of a complex number: signed, separators in place, not padded.
bool ComplexPart(Vm& vm, double d, const FormatSpec& spec, const DoubleForm& form, bool always,
                 std::string* out) {
  std::string text = FormatDouble(d, form);
  if (spec.type == 'E' || spec.type == 'F' || spec.type == 'G') ToUpper(&text);
  FormatSpec plain;
  plain.group = spec.group;
  plain.sign = always ? '+' : spec.sign;
  NumberParts parts;
  parts.sign = SignOf(std::signbit(d) && !std::isnan(d), plain);
  size_t whole = 0;
  while (whole < text.size() && text[whole] >= '0' && text[whole] <= '9') ++whole;
  parts.digits = text.substr(0, whole);
  parts.rest = text.substr(whole);
  return PadNumber(vm, plain, std::move(parts), out);
}

bool FormatComplex(Vm& vm, Value v, std::string_view text, std::string* out) {
  const std::string_view name = vm.TypeName(v);
  const double real = As<Complex>(v)->real, imaginary = As<Complex>(v)->imaginary;
  FormatSpec spec;
  if (!ParseFormatSpec(vm, text, name, 0, '>', &spec)) return false;
  const char type = static_cast<char>(spec.type < 128 ? spec.type : '?');
  if (type != 0 && std::string_view("eEfFgGn").find(type) == std::string_view::npos)
    return UnknownFormat(vm, spec.type, name);
  if (spec.fill == "0")
    return Refuse(vm, "Zero padding is not allowed in complex format specifier");
  if (spec.align == '=')
    return Refuse(vm, "'=' alignment flag is not allowed in complex format specifier");
  if (spec.precision > kMaxPrecision) return Refuse(vm, "precision too big");
  DoubleForm form;
  form.precision = spec.precision < 0 ? 6 : static_cast<int>(spec.precision);
  if (!vm.Scratch(size_t{4} * static_cast<size_t>(form.precision))) return false;
  form.alternate = spec.alternate;
  form.type = type == 0     ? (spec.precision < 0 ? 'r' : 'g')
              : type == 'n' ? 'g'
                            : static_cast<char>(type | 32);
  const bool alone = type == 0 && real == 0 && !std::signbit(real);
  std::string body = type == 0 && !alone ? "(" : "";
  if ((!alone && !ComplexPart(vm, real, spec, form, false, &body)) ||
      !ComplexPart(vm, imaginary, spec, form, !alone, &body))
    return false;
  body += type == 0 && !alone ? "j)" : "j";
  return PadText(vm, spec, body, out);
}

}  // namespace

bool IntDigits(Vm& vm, Value v, int base, std::string* out) {
  if (v.IsBool()) v = Value::SmallInt(v.IsTrue());
  return AppendInt(vm, v, base, out);
}

bool Vm::FormatPlain(Value v, std::string_view text, std::string* out) {
  double d;
  if (text.empty()) return StrPlain(v, out);
  ShortFormat format;
  ShortText quick;
  if (ReadShortFormat(text, &format) && WriteShort(v, format, &quick)) {
    *out += quick.view();
    return true;
  }
  if (IsStr(v)) return FormatString(*this, v, text, out);
  if (IsInt(v) || DoubleOf(v, &d)) return FormatNumber(*this, v, text, out);
  if (Is(v, Type::kComplex)) return FormatComplex(*this, v, text, out);
  Throw(Error::kTypeError, "unsupported format string passed to {}.__format__", TypeName(v));
  return false;
}

}  // namespace ferry::vm
