#include "device-runtime/vm/text/format/spec.h"

#include "device-runtime/vm/syntax/token.h"
#include "device-runtime/vm/text/text.h"
#include "device-runtime/vm/text/unicode.h"

namespace ferry::vm {
namespace {

bool IsAlign(char c) {
  return c == '<' || c == '>' || c == '^' || c == '=';
}

bool Wrong(Vm& vm, std::string_view message) {
  vm.Raise(Error::kValueError, message);
  return false;
}

// Room for `more` bytes of text that is not on the heap yet.
bool Fits(Vm& vm, const std::string& out, uint64_t more) {
  if (more <= kMaxStringBytes) return vm.Scratch(3 * (out.size() + more));
  vm.TooLarge();
  return false;
}

struct Reader {
  Vm& vm;
  std::string_view s;
  size_t i = 0;

  char at() const { return i < s.size() ? s[i] : '\0'; }
  bool Take(char c) {
    if (at() != c || i >= s.size()) return false;
    ++i;
    return true;
  }
  // *found: whether there is a number.
  bool Number(int64_t* out, bool* found) {
    int64_t value = 0;
    *found = false;
    while (i < s.size()) {
      size_t next = i;
      const int digit = DecimalValue(Utf8Next(s, &next));
      if (digit < 0) break;
      if (value > (INT64_MAX - digit) / 10)
        return Wrong(vm, "Too many decimal digits in format string");
      value = value * 10 + digit;
      *found = true;
      i = next;
    }
    if (*found) *out = value;
    return true;
  }
};

bool ParseGroup(Reader& in, FormatSpec* spec) {
  const auto both = [&] { return Wrong(in.vm, "Cannot specify both ',' and '_'."); };
  if (in.Take(',')) spec->group = ',';
  if (in.at() == '_') {
    if (spec->group != 0) return both();
    ++in.i;
    spec->group = '_';
  }
  return in.at() != ',' || spec->group != '_' || both();
}

bool CheckGroup(Vm& vm, const FormatSpec& spec) {
  if (spec.group == 0) return true;
  switch (spec.type) {
    case 'd':
    case 'e':
    case 'f':
    case 'g':
    case 'E':
    case 'G':
    case '%':
    case 'F':
    case 0:
      return true;
    case 'b':
    case 'o':
    case 'x':
    case 'X':
      if (spec.group == '_') return true;
      break;
    default:
      break;
  }
  if (spec.type > 32 && spec.type < 128) {
    vm.Throw(Error::kValueError, "Cannot specify '{}' with '{}'.", spec.group,
             static_cast<char>(spec.type));
  } else {
    vm.Throw(Error::kValueError, "Cannot specify '{}' with '\\x{:x}'.", spec.group, spec.type);
  }
  return false;
}

}  // namespace

bool ParseFormatSpec(Vm& vm, std::string_view text, std::string_view type_name, char type,
                     char align, FormatSpec* spec) {
  Reader in{vm, text};
  bool aligned = true, filled = false, found;
  spec->type = static_cast<unsigned char>(type);
  spec->align = align;
  const size_t lead = text.empty() ? 0 : Utf8Size(text[0]);
  if (lead > 0 && text.size() > lead && IsAlign(text[lead])) {
    spec->fill = text.substr(0, lead);
    spec->align = text[lead];
    filled = true;
    in.i = lead + 1;
  } else if (!text.empty() && IsAlign(text[0])) {
    spec->align = text[in.i++];
  } else {
    aligned = false;
  }
  if (in.at() == '+' || in.at() == '-' || in.at() == ' ') spec->sign = text[in.i++];
  spec->no_negative_zero = in.Take('z');
  spec->alternate = in.Take('#');
  if (!filled && in.Take('0')) {
    spec->fill = "0";
    if (!aligned && align == '>') spec->align = '=';
  }
  if (!in.Number(&spec->width, &found) || !ParseGroup(in, spec)) return false;
  if (in.Take('.')) {
    if (!in.Number(&spec->precision, &found)) return false;
    if (!found) return Wrong(vm, "Format specifier missing precision");
  }
  if (in.i < text.size()) {
    spec->type = Utf8Next(text, &in.i);
    if (in.i < text.size()) {
      vm.Throw(Error::kValueError, "Invalid format specifier '{}' for object of type '{}'", text,
               type_name);
      return false;
    }
  }
  return CheckGroup(vm, *spec);
}

bool UnknownFormat(Vm& vm, uint32_t type, std::string_view type_name) {
  if (type > 32 && type < 128) {
    vm.Throw(Error::kValueError, "Unknown format code '{}' for object of type '{}'",
             static_cast<char>(type), type_name);
  } else {
    vm.Throw(Error::kValueError, "Unknown format code '\\x{:x}' for object of type '{}'", type,
             type_name);
  }
  return false;
}

bool PadText(Vm& vm, const FormatSpec& spec, std::string_view body, std::string* out) {
  const auto size = static_cast<int64_t>(CodePoints(body));
  const int64_t room = spec.width > size ? spec.width - size : 0;
  if (room > static_cast<int64_t>(kMaxStringBytes)) return !vm.TooLarge().empty();
  if (!Fits(vm, *out, body.size() + static_cast<uint64_t>(room) * spec.fill.size())) return false;
  const int64_t left = spec.align == '>' || spec.align == '=' ? room
                       : spec.align == '^'                    ? room / 2
                                                              : 0;
  for (int64_t i = 0; i < left; ++i) *out += spec.fill;
  *out += body;
  for (int64_t i = left; i < room; ++i) *out += spec.fill;
  return vm.ChargeSteps(room / 64);
}

bool PadNumber(Vm& vm, const FormatSpec& spec, NumberParts parts, std::string* out) {
  const size_t around = parts.sign.size() + parts.prefix.size() + parts.rest.size();
  const bool inside = spec.align == '=' && spec.fill == "0";
  if (spec.width > static_cast<int64_t>(kMaxStringBytes)) return !vm.TooLarge().empty();
  const auto width = static_cast<size_t>(spec.width);
  if (!Fits(vm, *out, 2 * (width + around) + 2 * parts.digits.size())) return false;
  std::string digits = parts.digits;
  const bool number = !digits.empty();
  if (spec.group != 0 && number) {
    // From the right; zeros that pad take separators too.
    const size_t least = inside && width > around ? width - around : 0;
    std::string reversed;
    for (size_t count = 0, used = 0; used < digits.size() || reversed.size() < least; ++count) {
      if (count > 0 && count % parts.group_size == 0) reversed.push_back(spec.group);
      reversed.push_back(used < digits.size() ? digits[digits.size() - 1 - used] : '0');
      if (used < digits.size()) ++used;
    }
    digits.assign(reversed.rbegin(), reversed.rend());
  }
  const std::string body = digits + parts.rest;
  const size_t size = parts.sign.size() + parts.prefix.size() + body.size();
  const std::string head = parts.sign + parts.prefix;
  if (spec.align != '=') return PadText(vm, spec, head + body, out);
  *out += head;
  for (size_t i = size; i < width; ++i) *out += spec.fill;
  *out += body;
  return vm.ChargeSteps(spec.width / 64);
}

}  // namespace ferry::vm
