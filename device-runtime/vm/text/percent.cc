// str % values.
#include <cmath>

#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/syntax/token.h"
#include "device-runtime/vm/text/builder.h"
#include "device-runtime/vm/text/format/short.h"
#include "device-runtime/vm/text/format/spec.h"
#include "device-runtime/vm/text/number_text.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {

bool GivesKeys(Vm& vm, Value args) {
  if (Is(args, Type::kTuple) || IsStr(args)) return false;
  return Is(args, Type::kList) || Is(args, Type::kDict) || Is(args, Type::kBytes) ||
         Is(args, Type::kRange) || !vm.FindInClass(vm.ClassOf(args), vm.names.getitem).empty();
}

namespace {

// One conversion: "%[(key)][flags][width][.precision]type".
struct Conversion {
  bool left = false, plus = false, blank = false, alternate = false, zero = false;
  int64_t width = 0, precision = -1;
  char type = 0;
};

struct Percent {
  Vm& vm;
  std::string_view s;
  Value args;
  TextBuilder out;
  Roots roots;
  Value mapping, current;  // current: what the next conversion takes, when it came by a key
  uint32_t next = 0;
  size_t i = 0;

  Percent(Vm& vm_in, std::string_view format, Value args_in)
      : vm(vm_in), s(format), args(args_in), out(vm_in), roots(vm_in) {
    roots.Add(args);
    if (GivesKeys(vm, args)) mapping = args;
  }
  bool Wrong(Error error, std::string_view message) {
    vm.Raise(error, message);
    return false;
  }
  bool Take(Value* v);
  bool Key();
  bool Size(const char* what, int64_t* out_size, bool* negative);
  bool Parse(Conversion* c);
  bool Write(const Conversion& c);
  bool Quick(const Conversion& c, Value v);
  bool Text(const Conversion& c, Value v);
  bool Character(const Conversion& c, Value v);
  bool Integer(const Conversion& c, Value v);
  bool Float(const Conversion& c, Value v);
  bool Number(const Conversion& c, NumberParts parts);
  Value Run();
};

bool Percent::Take(Value* v) {
  if (!current.empty()) {
    *v = current;
    current = Value();
    return true;
  }
  const bool tuple = Is(args, Type::kTuple);
  const uint32_t count = tuple ? As<Tuple>(args)->size : 1;
  if (next >= count) return Wrong(Error::kTypeError, "not enough arguments for format string");
  *v = tuple ? As<Tuple>(args)->items[next] : args;
  ++next;
  return true;
}

// After "%(": the key may hold balanced parentheses.
bool Percent::Key() {
  if (mapping.empty()) return Wrong(Error::kTypeError, "format requires a mapping");
  const size_t start = ++i;
  int depth = 1;
  for (; i < s.size() && depth > 0; ++i) depth += s[i] == '(' ? 1 : s[i] == ')' ? -1 : 0;
  if (depth > 0) return Wrong(Error::kValueError, "incomplete format key");
  Value key = vm.NewString(s.substr(start, i - 1 - start));
  if (key.empty()) return false;
  current = vm.Index(mapping, roots.Add(key));
  if (current.empty()) return false;
  roots.Add(current);
  next = Is(args, Type::kTuple) ? As<Tuple>(args)->size : 1;
  return true;
}

// A width or precision: digits or '*'.
bool Percent::Size(const char* what, int64_t* out_size, bool* negative) {
  *negative = false;
  if (i < s.size() && s[i] == '*') {
    ++i;
    Value v;
    if (!Take(&v)) return false;
    if (!IsInt(v)) return Wrong(Error::kTypeError, "* wants int");
    if (!vm.ToIndex(v, out_size, what)) return false;
    *negative = *out_size < 0;
    return true;
  }
  int64_t size = 0;
  for (; i < s.size() && s[i] >= '0' && s[i] <= '9'; ++i) {
    if (size > (INT64_MAX - 9) / 10) {
      vm.Throw(Error::kValueError, "{} too big", what);
      return false;
    }
    size = size * 10 + (s[i] - '0');
  }
  *out_size = size;
  return true;
}

bool Percent::Parse(Conversion* c) {
  bool negative;
  if (i < s.size() && s[i] == '(' && !Key()) return false;
  for (; i < s.size(); ++i) {
    if (s[i] == '-') {
      c->left = true;
    } else if (s[i] == '+') {
      c->plus = true;
    } else if (s[i] == ' ') {
      c->blank = true;
    } else if (s[i] == '#') {
      c->alternate = true;
    } else if (s[i] == '0') {
      c->zero = true;
    } else {
      break;
    }
  }
  if (!Size("width", &c->width, &negative)) return false;
  if (negative) {
    c->left = true;
    c->width = c->width == INT64_MIN ? INT64_MAX : -c->width;
  }
  if (i < s.size() && s[i] == '.') {
    ++i;
    if (!Size("precision", &c->precision, &negative)) return false;
    if (negative) c->precision = 0;
  }
  if (i < s.size() && (s[i] == 'h' || s[i] == 'l' || s[i] == 'L')) ++i;
  if (i >= s.size()) return Wrong(Error::kValueError, "incomplete format");
  c->type = s[i];
  return true;
}

bool Percent::Text(const Conversion& c, Value v) {
  std::string text;
  if (c.type == 's'   ? !vm.Str(v, &text)
      : c.type == 'r' ? !vm.Repr(v, &text)
                      : !AsciiRepr(vm, v, &text))
    return false;
  std::string_view body = text;
  if (c.precision >= 0 && c.precision < static_cast<int64_t>(body.size()))
    body = body.substr(0, Utf8Offset(body, static_cast<size_t>(c.precision)));
  FormatSpec spec;
  spec.width = c.width;
  spec.align = c.left ? '<' : '>';
  std::string padded;
  return PadText(vm, spec, body, &padded) && out.Append(padded);
}

bool Percent::Character(const Conversion& c, Value v) {
  std::string body, padded;
  int64_t code;
  if (IsStr(v)) {
    if (As<String>(v)->length != 1) return Wrong(Error::kTypeError, "%c requires int or char");
    body = ferry::vm::Text(v);
  } else {
    if (!IsInt(v) && vm.FindInClass(vm.ClassOf(v), vm.names.index).empty())
      return Wrong(Error::kTypeError, "%c requires int or char");
    if (!vm.ToIndex(v, &code, "%c", true)) return false;
    if (code < 0 || code > 0x10FFFF)
      return Wrong(Error::kOverflowError, "%c arg not in range(0x110000)");
    AppendUtf8(static_cast<uint32_t>(code), &body);
  }
  FormatSpec spec;
  spec.width = c.width;
  spec.align = c.left ? '<' : '>';
  return PadText(vm, spec, body, &padded) && out.Append(padded);
}

bool Percent::Number(const Conversion& c, NumberParts parts) {
  if (parts.sign.empty() && (c.plus || c.blank)) parts.sign = c.plus ? "+" : " ";
  FormatSpec spec;
  spec.width = c.width;
  spec.align = c.left ? '<' : '>';
  if (c.zero && !c.left) {
    spec.fill = "0";
    spec.align = '=';
  }
  std::string padded;
  return PadNumber(vm, spec, std::move(parts), &padded) && out.Append(padded);
}

bool Percent::Integer(const Conversion& c, Value v) {
  const bool decimal = c.type == 'd' || c.type == 'i' || c.type == 'u';
  const Value given = v;
  if (v.IsFloat() && decimal) {
    if (std::isnan(v.AsFloat()))
      return Wrong(Error::kValueError, "cannot convert float NaN to integer");
    if (std::isinf(v.AsFloat()))
      return Wrong(Error::kOverflowError, "cannot convert float infinity to integer");
    v = IntFromDouble(vm, v.AsFloat());
  } else if (!IsInt(v)) {
    bool found = false;
    Value result;
    if (decimal) result = vm.CallSpecial(v, vm.names.to_int, nullptr, 0, &found);
    if (!found) result = vm.CallSpecial(v, vm.names.index, nullptr, 0, &found);
    if (found && result.empty() && !vm.TakePending(Error::kTypeError)) return false;
    v = found && !result.empty() ? roots.Add(result) : Value();
  }
  if (v.empty() || !IsInt(v)) {
    if (vm.failed()) return false;
    vm.Throw(Error::kTypeError, "%{} format: {} is required, not {}", c.type,
             decimal ? "a real number" : "an integer", vm.TypeName(given));
    return false;
  }
  const int base = decimal ? 10 : c.type == 'o' ? 8 : 16;
  NumberParts parts;
  if (!IntDigits(vm, v, base, &parts.digits)) return false;
  if (v.IsBool() && base == 10) parts.digits = v.IsTrue() ? "1" : "0";
  if (parts.digits[0] == '-') {
    parts.sign = "-";
    parts.digits.erase(0, 1);
  }
  if (c.precision > static_cast<int64_t>(kMaxStringBytes)) return !vm.TooLarge().empty();
  if (c.precision > static_cast<int64_t>(parts.digits.size())) {
    if (c.precision > vm.heap.limit() - vm.heap.used()) return !vm.TooLarge().empty();
    parts.digits.insert(0, static_cast<size_t>(c.precision) - parts.digits.size(), '0');
  }
  if (c.type == 'X')
    for (char& digit : parts.digits)
      if (digit >= 'a') digit = static_cast<char>(digit - 32);
  if (c.alternate && base != 10) parts.prefix = {'0', c.type};
  return Number(c, std::move(parts));
}

bool Percent::Float(const Conversion& c, Value v) {
  double d;
  if (v.IsFloat()) {
    d = v.AsFloat();
  } else if (IsInt(v)) {
    d = IntToDouble(v);
    if (std::isinf(d)) return Wrong(Error::kOverflowError, "int too large to convert to float");
  } else {
    bool found = false;
    Value result = vm.CallSpecial(v, vm.names.to_float, nullptr, 0, &found);
    if (!found) result = vm.CallSpecial(v, vm.names.index, nullptr, 0, &found);
    if (found && result.empty()) return false;
    if (!found || (!result.IsFloat() && !IsInt(result))) {
      vm.Throw(Error::kTypeError, "must be real number, not {}", vm.TypeName(v));
      return false;
    }
    d = result.IsFloat() ? result.AsFloat() : IntToDouble(result);
  }
  if (c.precision > INT32_MAX) return Wrong(Error::kValueError, "precision too big");
  if (c.precision > vm.heap.limit() - vm.heap.used()) return !vm.TooLarge().empty();
  DoubleForm form;
  form.type = static_cast<char>(c.type | 32);
  form.precision = c.precision < 0 ? 6 : static_cast<int>(c.precision);
  form.alternate = c.alternate;
  NumberParts parts;
  parts.rest = FormatDouble(d, form);
  if (c.type < 'a')
    for (char& letter : parts.rest)
      if (letter >= 'a') letter = static_cast<char>(letter - 32);
  if (std::signbit(d) && !std::isnan(d)) parts.sign = "-";
  return Number(c, std::move(parts));
}

// The usual values: without a precision of strings or digits, without '#' or ' '.
bool Percent::Quick(const Conversion& c, Value v) {
  const bool text = c.type == 's', whole = c.type == 'd' || c.type == 'x' || c.type == 'X';
  if (c.alternate || c.blank || c.width > 100 || (!text && !whole && c.type != 'f') ||
      c.precision > 15 || (c.precision >= 0 && c.type != 'f') || (text && c.plus))
    return false;
  ShortText out_text;
  if (c.width == 0 && (text || (c.type == 'd' && !c.plus && v.IsSmallInt()))) {
    if (IsExact(v, Type::kString)) return out.Append(ferry::vm::Text(v));
    return ShortStr(v, &out_text) && out.Append(out_text.view());
  }
  if (text ? !IsExact(v, Type::kString) : !v.IsSmallInt() && (!v.IsFloat() || whole)) return false;
  ShortFormat format;
  format.align = c.left ? '<' : '>';
  if (c.zero && !c.left && !text) {
    format.fill = '0';
    format.align = '=';
  }
  format.plus = c.plus;
  format.width = static_cast<int>(c.width);
  format.precision = static_cast<int>(c.precision);
  format.type = c.type;
  return WriteShort(v, format, &out_text) && out.Append(out_text.view());
}

bool Percent::Write(const Conversion& c) {
  Value v;
  if (!Take(&v)) return false;
  if (c.type != 's' && c.type != 'r' && c.type != 'a') v = Plain(v);
  if (Quick(c, v)) return true;
  if (vm.failed()) return false;
  switch (c.type) {
    case 's':
    case 'r':
    case 'a':
      return Text(c, v);
    case 'c':
      return Character(c, v);
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return Integer(c, v);
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      return Float(c, v);
    default:
      break;
  }
  size_t at = i;
  const uint32_t code = Utf8Next(s, &at);
  vm.Throw(Error::kValueError, "unsupported format character '{}' (0x{:x}) at index {}",
           code > 30 && code < 127 ? static_cast<char>(code) : '?', code,
           CodePoints(s.substr(0, i)));
  return false;
}

Value Percent::Run() {
  while (i < s.size()) {
    const size_t at = std::min(s.find('%', i), s.size());
    if (!out.Append(s.substr(i, at - i))) return Value();
    if (at == s.size()) break;
    i = at + 1;
    if (i < s.size() && s[i] == '%') {
      if (!out.Append('%')) return Value();
    } else {
      Conversion c;
      if (!vm.ChargeSteps(1) || !Parse(&c) || !Write(c)) return Value();
    }
    ++i;
  }
  const bool unused =
      Is(args, Type::kTuple) ? next < As<Tuple>(args)->size : next == 0 && mapping.empty();
  if (unused)
    return vm.Raise(Error::kTypeError, "not all arguments converted during string formatting");
  return out.ToString();
}

}  // namespace

Value Vm::PercentFormat(String* format, Value args) {
  Roots roots(*this);
  roots.Add(Value::Of(format));
  return Percent(*this, format->view(), args).Run();
}

}  // namespace ferry::vm
