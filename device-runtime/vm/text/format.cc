// The format mini-language: [[fill]align][sign][#][0][width][,_][.precision][type], and %
// formatting.
#include <cmath>
#include <cstdlib>

#include "device-runtime/vm/exec/vm.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

constexpr int kMaxWidth = 100000;
constexpr int kMaxPrecision = 1000;

struct Spec {
  std::string fill = " ";
  char align = 0, sign = '-', group = 0, type = 0;
  bool alternate = false;
  int width = 0, precision = -1;
};

bool IsAlign(char c) {
  return c == '<' || c == '>' || c == '^' || c == '=';
}

bool ParseSpec(std::string_view s, Spec* spec) {
  size_t i = 0;
  const size_t lead = s.empty() ? 0 : Utf8Size(s[0]);
  if (s.size() > lead && lead > 0 && IsAlign(s[lead])) {
    spec->fill = s.substr(0, lead);
    spec->align = s[lead];
    i = lead + 1;
  } else if (!s.empty() && IsAlign(s[0])) {
    spec->align = s[i++];
  }
  const auto at = [&] { return i < s.size() ? s[i] : '\0'; };
  if (at() == '+' || at() == '-' || at() == ' ') spec->sign = s[i++];
  if (at() == '#') {
    spec->alternate = true;
    ++i;
  }
  if (at() == '0') {
    if (spec->align == 0) {
      spec->fill = "0";
      spec->align = '=';
    }
    ++i;
  }
  const auto number = [&](int* out, int limit) {
    *out = 0;
    for (; at() >= '0' && at() <= '9'; ++i) {
      *out = *out * 10 + (at() - '0');
      if (*out > limit) return false;
    }
    return true;
  };
  if (!number(&spec->width, kMaxWidth)) return false;
  if (at() == ',' || at() == '_') spec->group = s[i++];
  if (at() == '.') {
    ++i;
    if (at() < '0' || at() > '9' || !number(&spec->precision, kMaxPrecision)) return false;
  }
  if (i < s.size()) spec->type = s[i++];
  return i == s.size();
}

// Separators into the digits before any point or exponent.
std::string Grouped(const std::string& text, char separator, size_t every) {
  size_t whole = 0;
  while (whole < text.size() && std::isxdigit(static_cast<unsigned char>(text[whole])) &&
         (every == 4 || text[whole] <= '9'))
    ++whole;
  std::string out;
  for (size_t i = 0; i < whole; ++i) {
    if (i > 0 && (whole - i) % every == 0) out.push_back(separator);
    out.push_back(text[i]);
  }
  return out + text.substr(whole);
}

void Pad(const Spec& spec, const std::string& sign, std::string body, char align,
         std::string* out) {
  const auto size = static_cast<int>(CodePoints(sign) + CodePoints(body));
  const int room = spec.width > size ? spec.width - size : 0;
  const auto fill = [&](int count) {
    for (int i = 0; i < count; ++i) *out += spec.fill;
  };
  const int left = align == '>' ? room : align == '^' ? room / 2 : 0;
  if (align != '=') fill(left);
  *out += sign;
  if (align == '=') fill(room);
  *out += body;
  if (align != '=') fill(room - left);
}

std::string FloatBody(double d, Spec spec) {
  if (!std::isfinite(d)) return std::isnan(d) ? "nan" : "inf";
  char type = spec.type;
  if (type == '%') d *= 100;
  char buffer[1500];
  if (type == 0 && spec.precision < 0) return FloatRepr(d);
  const int precision = spec.precision < 0 ? 6 : spec.precision;
  if (type == 0) {
    // As 'g', but with a digit after the point.
    std::snprintf(buffer, sizeof buffer, "%.*g", precision == 0 ? 1 : precision, d);
    std::string text = buffer;
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
  }
  const char form[] = {'%', '.', '*',
                       type == '%' || type == 'F' ? 'f'
                       : type == 'n'              ? 'g'
                                                  : type,
                       0};
  std::snprintf(buffer, sizeof buffer, form, type == 'g' && precision == 0 ? 1 : precision, d);
  return type == '%' ? std::string(buffer) + "%" : buffer;
}

bool FormatNumber(Vm& vm, Value v, const Spec& spec, std::string* out) {
  std::string body, sign;
  bool negative;
  char type = spec.type;
  const bool real = v.IsFloat() ||
                    (type != 0 && std::string_view("eEfFgG%").find(type) != std::string_view::npos);
  size_t every = 3;
  if (real) {
    const double d = v.IsFloat() ? v.AsFloat() : IntToDouble(v);
    if (type != 0 && std::string_view("eEfFgGn%").find(type) == std::string_view::npos) {
      vm.Throw(Error::kValueError, "Unknown format code '{}' for object of type 'float'", type);
      return false;
    }
    negative = std::signbit(d) && !std::isnan(d);
    body = FloatBody(std::fabs(d), spec);
  } else {
    int base = type == 'x' || type == 'X' ? 16 : type == 'o' ? 8 : type == 'b' ? 2 : 10;
    if (type != 0 && std::string_view("bcdoxXn").find(type) == std::string_view::npos) {
      vm.Throw(Error::kValueError, "Unknown format code '{}' for object of type 'int'", type);
      return false;
    }
    if (type == 'c') {
      int64_t code;
      if (!IntToInt64(v, &code) || code < 0 || code > 0x10FFFF ||
          (code >= 0xD800 && code < 0xE000)) {
        vm.Raise(Error::kOverflowError, "%c arg not in range(0x110000)");
        return false;
      }
      AppendUtf8(static_cast<uint32_t>(code), &body);
      Pad(spec, "", body, spec.align == 0 ? '<' : spec.align, out);
      return true;
    }
    if (!vm.ChargeSteps(IntTextSteps(v))) return false;
    body = IntToText(v, base);
    negative = body[0] == '-';
    if (negative) body.erase(0, 1);
    if (type == 'X')
      for (char& c : body) c = static_cast<char>(std::toupper(c));
    if (base != 10) every = 4;
    if (spec.alternate && base != 10) sign = std::string("0") + type;
  }
  if (spec.group != 0) body = Grouped(body, spec.group, every);
  sign = (negative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign)) + sign;
  Pad(spec, sign, body, spec.align == 0 ? '>' : spec.align, out);
  return true;
}

}  // namespace

static bool FormatInto(Vm& vm, Value v, std::string_view text, std::string* out);

bool Vm::Format(Value v, std::string_view text, std::string* out) {
  const size_t before = out->size();
  if (!FormatInto(*this, v, text, out)) return false;
  if (static_cast<int64_t>(out->size()) > heap.limit()) {
    OutOfMemory();
    return false;
  }
  return ChargeSteps(static_cast<int64_t>((out->size() - before) / 64));
}

static bool FormatInto(Vm& vm, Value v, std::string_view text, std::string* out) {
  if (Is(v, Type::kInstance)) {
    Value argument = vm.NewString(text);
    bool found;
    Value result =
        argument.empty() ? argument : vm.CallSpecial(v, vm.names.format, &argument, 1, &found);
    if (vm.failed()) return false;
    if (!result.empty() && IsStr(result)) {
      *out += Text(result);
      return true;
    }
  }
  if (text.empty()) return vm.Str(v, out);
  Spec spec;
  const bool number =
      v.IsFloat() ||
      (IsInt(v) && !(v.IsBool() && text.find_first_of("bcdoxXneEfFgG%") == std::string_view::npos));
  if (!ParseSpec(text, &spec)) {
    vm.Throw(Error::kValueError, "Invalid format specifier '{}' for object of type '{}'", text,
             vm.TypeName(v));
    return false;
  }
  if (number) return FormatNumber(vm, v, spec, out);
  if (!IsStr(v)) {
    vm.Throw(Error::kTypeError, "unsupported format string passed to {}.__format__",
             vm.TypeName(v));
    return false;
  }
  if (spec.type != 0 && spec.type != 's') {
    vm.Throw(Error::kValueError, "Unknown format code '{}' for object of type 'str'", spec.type);
    return false;
  }
  if (spec.align == '=' && spec.fill != "0") {
    vm.Raise(Error::kValueError, "'=' alignment not allowed in string format specifier");
    return false;
  }
  std::string body(Text(v));
  if (spec.precision >= 0)
    body = body.substr(0, Utf8Offset(body, static_cast<size_t>(spec.precision)));
  Pad(spec, "", body, spec.align == 0 || spec.align == '=' ? '<' : spec.align, out);
  return true;
}

Value Vm::PercentFormat(String* format, Value args) {
  std::string out;
  size_t next = 0;
  const bool tuple = Is(args, Type::kTuple);
  const std::string_view s = format->view();
  const auto take = [&](Value* v) {
    const size_t count = tuple ? As<Tuple>(args)->size : 1;
    if (next >= count) {
      Raise(Error::kTypeError, "not enough arguments for format string");
      return false;
    }
    *v = tuple ? As<Tuple>(args)->items[next] : args;
    ++next;
    return true;
  };
  for (size_t i = 0; i < s.size(); ++i) {
    if (s[i] != '%') {
      out.push_back(s[i]);
      continue;
    }
    if (++i >= s.size()) return Raise(Error::kValueError, "incomplete format");
    if (s[i] == '%') {
      out.push_back('%');
      continue;
    }
    Value v;
    bool have = false;
    if (s[i] == '(') {
      const size_t end = s.find(')', i);
      if (end == std::string_view::npos) return Raise(Error::kValueError, "incomplete format key");
      Value key = NewString(s.substr(i + 1, end - i - 1));
      v = key.empty() ? key : Index(args, key);
      if (v.empty()) return v;
      have = true;
      next = 1;
      i = end + 1;
    }
    std::string spec;
    bool left = false, zero = false;
    for (; i < s.size() && std::string_view("-+ #0").find(s[i]) != std::string_view::npos; ++i) {
      if (s[i] == '-')
        left = true;
      else if (s[i] == '0')
        zero = true;
      else
        spec.push_back(s[i]);
    }
    std::string width;
    while (i < s.size() && ((s[i] >= '0' && s[i] <= '9') || s[i] == '.')) width.push_back(s[i++]);
    if (i >= s.size()) return Raise(Error::kValueError, "incomplete format");
    const char type = s[i];
    if (!have && !take(&v)) return Value();
    std::string text;
    if (type == 's' || type == 'r' || type == 'a') {
      if (!(type == 's' ? Str(v, &text) : Repr(v, &text))) return Value();
      Value body = NewString(text);
      if (body.empty() || !Format(body, (left ? "<" : ">") + width, &out)) return Value();
      continue;
    }
    if (std::string_view("diufFeEgGxXoc").find(type) == std::string_view::npos)
      return Throw(Error::kValueError, "unsupported format character '{}'", type);
    if (type == 'c' && IsStr(v)) {
      out += Text(v);
      continue;
    }
    if (!v.IsFloat() && !IsInt(v))
      return Throw(Error::kTypeError, "%{} format: a real number is required, not {}", type,
                   TypeName(v));
    char code = type == 'i' || type == 'u' ? 'd' : type;
    if (code == 'd' && v.IsFloat()) {
      if (!std::isfinite(v.AsFloat()))
        return Raise(Error::kValueError, "cannot convert float to integer");
      v = IntFromDouble(*this, v.AsFloat());
    }
    if (!Format(v, (left ? "<" : ">") + spec + (zero && !left ? "" : "") + width + code, &out) ||
        v.empty())
      return Value();
    if (zero && !left && !width.empty()) {
      // Zero padding stands between sign and digits: format again with '='.
      std::string again;
      if (!Format(v, "0=" + spec + width + code, &again)) return Value();
      out.replace(out.size() - again.size(), again.size(), again);
    }
  }
  if (tuple && next < As<Tuple>(args)->size)
    return Raise(Error::kTypeError, "not all arguments converted during string formatting");
  if (!tuple && next == 0 && !Is(args, Type::kDict))
    return Raise(Error::kTypeError, "not all arguments converted during string formatting");
  return NewString(out);
}

}  // namespace ferry::vm
