// Methods of str that make new strings.
#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/syntax/token.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

std::string_view Self(Args& args) {
  return Text(args[0]);
}

// Case of ASCII and Latin-1/Greek/Cyrillic letters that shift by a fixed distance.
uint32_t Lower(uint32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
  if ((c >= 0xC0 && c <= 0xDE && c != 0xD7) || (c >= 0x391 && c <= 0x3A9 && c != 0x3A2) ||
      (c >= 0x410 && c <= 0x42F))
    return c + 32;
  if (c >= 0x400 && c <= 0x40F) return c + 80;
  if (c >= 0x100 && c <= 0x137 && c != 0x130) return c | 1;
  return c;
}
uint32_t Upper(uint32_t c) {
  if (c < 0x80) return c >= 'a' && c <= 'z' ? c - 32 : c;
  if ((c >= 0xE0 && c <= 0xFE && c != 0xF7) || (c >= 0x3B1 && c <= 0x3C9 && c != 0x3C2) ||
      (c >= 0x430 && c <= 0x44F))
    return c - 32;
  if (c >= 0x450 && c <= 0x45F) return c - 80;
  if (c >= 0x100 && c <= 0x137 && c != 0x131) return c & ~1u;
  return c;
}
bool IsLetter(uint32_t c) {
  if (c < 0x80) return (c | 32) >= 'a' && (c | 32) <= 'z';
  return c == 0xAA || c == 0xB5 || c == 0xBA ||
         (c >= 0xC0 && c != 0xD7 && c != 0xF7 && !(c >= 0x2000 && c < 0x2C00) &&
          !(c >= 0x3000 && c < 0x3040) && !(c >= 0xFF00 && c < 0xFF21) && c < 0x1F000);
}

enum class Mode { kLower, kUpper, kCapitalize, kTitle, kSwap };
Value Case(Vm& vm, Args& args, Mode mode) {
  if (!vm.ChargeSteps(static_cast<int64_t>(Self(args).size() / 16))) return Value();
  std::string out;
  bool first = true, in_word = false;
  for (size_t at = 0; at < Self(args).size();) {
    const uint32_t c = Utf8Next(Self(args), &at);
    const bool raise = mode == Mode::kUpper || (mode == Mode::kCapitalize && first) ||
                       (mode == Mode::kTitle && !in_word) || (mode == Mode::kSwap && Upper(c) != c);
    if (raise && c == 0xDF) {
      out += mode == Mode::kUpper ? "SS" : "Ss";
    } else {
      AppendUtf8(raise ? Upper(c) : Lower(c), &out);
    }
    in_word = IsLetter(c);
    first = false;
  }
  return vm.NewString(out);
}
Value LowerOf(Vm& vm, Args& args) {
  return Case(vm, args, Mode::kLower);
}
Value UpperOf(Vm& vm, Args& args) {
  return Case(vm, args, Mode::kUpper);
}
Value Capitalize(Vm& vm, Args& args) {
  return Case(vm, args, Mode::kCapitalize);
}
Value Title(Vm& vm, Args& args) {
  return Case(vm, args, Mode::kTitle);
}
Value SwapCase(Vm& vm, Args& args) {
  return Case(vm, args, Mode::kSwap);
}

template <typename F>
Value AllOf(Vm& vm, Args& args, F accept) {
  if (!vm.ChargeSteps(static_cast<int64_t>(Self(args).size() / 32))) return Value();
  if (Self(args).empty()) return Value::Bool(false);
  for (size_t at = 0; at < Self(args).size();)
    if (!accept(Utf8Next(Self(args), &at))) return Value::Bool(false);
  return Value::Bool(true);
}
bool Digit(uint32_t c) {
  return c >= '0' && c <= '9';
}
Value IsDigit(Vm& vm, Args& args) {
  return AllOf(vm, args, Digit);
}
Value IsAlpha(Vm& vm, Args& args) {
  return AllOf(vm, args, IsLetter);
}
Value IsAlnum(Vm& vm, Args& args) {
  return AllOf(vm, args, [](uint32_t c) { return IsLetter(c) || Digit(c); });
}
Value IsSpaceOf(Vm& vm, Args& args) {
  return AllOf(vm, args, IsSpace);
}
Value Cased(Vm& vm, Args& args, bool upper) {
  if (!vm.ChargeSteps(static_cast<int64_t>(Self(args).size() / 32))) return Value();
  bool any = false;
  for (size_t at = 0; at < Self(args).size();) {
    const uint32_t c = Utf8Next(Self(args), &at);
    if ((upper ? Upper(c) : Lower(c)) != c) return Value::Bool(false);
    any = any || (upper ? Lower(c) : Upper(c)) != c;
  }
  return Value::Bool(any);
}
Value IsUpper(Vm& vm, Args& args) {
  return Cased(vm, args, true);
}
Value IsLower(Vm& vm, Args& args) {
  return Cased(vm, args, false);
}
Value IsIdentifier(Vm& vm, Args& args) {
  if (Self(args).empty() || Digit(static_cast<unsigned char>(Self(args)[0])))
    return Value::Bool(false);
  return AllOf(vm, args, [](uint32_t c) { return c == '_' || IsLetter(c) || Digit(c); });
}

Value StripSides(Vm& vm, Args& args, bool left, bool right) {
  if (!Expect(vm, args, "strip", 1, 2)) return Value();
  const bool given = args.count > 1 && !args[1].IsNone();
  if (given && !IsStr(args[1])) return vm.Raise(Error::kTypeError, "strip arg must be None or str");
  const auto gone = [&](std::string_view one) {
    size_t at = 0;
    return given ? Text(args[1]).find(one) != std::string_view::npos : IsSpace(Utf8Next(one, &at));
  };
  std::string_view s = Self(args);
  const size_t size = s.size();
  while (left && !s.empty() && gone(s.substr(0, Utf8Size(s[0])))) s.remove_prefix(Utf8Size(s[0]));
  while (right && !s.empty()) {
    size_t last = s.size() - 1;
    while (last > 0 && (static_cast<unsigned char>(s[last]) & 0xC0) == 0x80) --last;
    if (!gone(s.substr(last))) break;
    s = s.substr(0, last);
  }
  const size_t each = given ? Text(args[1]).size() / 16 + 1 : 1;
  if (!vm.ChargeSteps(static_cast<int64_t>((size - s.size()) * each / 4))) return Value();
  return vm.NewString(s);
}
Value Strip(Vm& vm, Args& args) {
  return StripSides(vm, args, true, true);
}
Value LStrip(Vm& vm, Args& args) {
  return StripSides(vm, args, true, false);
}
Value RStrip(Vm& vm, Args& args) {
  return StripSides(vm, args, false, true);
}

Value Justify(Vm& vm, Args& args, const char* name, char align) {
  int64_t width;
  if (!Expect(vm, args, name, 2, 3) || !vm.ToIndex(args[1], &width, "width", true)) return Value();
  const std::string fill = align == '0'                       ? "0"
                           : args.count > 2 && IsStr(args[2]) ? std::string(Text(args[2]))
                                                              : " ";
  if (CodePoints(fill) != 1)
    return vm.Raise(Error::kTypeError, "The fill character must be exactly one character long");
  const int64_t room = width - As<String>(args[0])->length;
  if (room <= 0) return args[0];
  if (room > vm.heap.limit() || !vm.ChargeSteps(room / 16)) return vm.OutOfMemory();
  const int64_t left = align == '<' ? 0 : align == '^' ? room / 2 + (room & width & 1) : room;
  std::string out;
  std::string_view body = Self(args);
  if (align == '0' && !body.empty() && (body[0] == '-' || body[0] == '+')) {
    out.push_back(body[0]);
    body.remove_prefix(1);
  }
  for (int64_t i = 0; i < left; ++i) out += fill;
  out += body;
  for (int64_t i = left; i < room; ++i) out += fill;
  return vm.NewString(out);
}
Value LJust(Vm& vm, Args& args) {
  return Justify(vm, args, "ljust", '<');
}
Value RJust(Vm& vm, Args& args) {
  return Justify(vm, args, "rjust", '>');
}
Value Center(Vm& vm, Args& args) {
  return Justify(vm, args, "center", '^');
}
Value ZFill(Vm& vm, Args& args) {
  return Justify(vm, args, "zfill", '0');
}

Value Encode(Vm& vm, Args& args) {
  return vm.NewBytes(Self(args));
}

// One replacement field of str.format; `next` counts automatic numbers.
bool Field(Vm& vm, Args& args, std::string_view field, uint32_t* next, std::string* out) {
  const size_t colon = field.find(':');
  std::string_view name = field.substr(0, colon);
  const std::string_view spec = colon == std::string_view::npos ? "" : field.substr(colon + 1);
  char conversion = 0;
  if (name.size() > 1 && name[name.size() - 2] == '!') {
    conversion = name.back();
    name.remove_suffix(2);
  }
  size_t end = name.find_first_of(".[");
  std::string_view head = name.substr(0, end),
                   rest = end == std::string_view::npos ? "" : name.substr(end);
  Value v;
  if (head.empty() || Digit(static_cast<unsigned char>(head[0]))) {
    uint32_t number = head.empty() ? (*next)++ : 0;
    for (char c : head)
      number = number < 100000 ? number * 10 + static_cast<uint32_t>(c - '0') : number;
    if (number + 1 >= args.count) {
      vm.Throw(Error::kIndexError, "Replacement index {} out of range for positional args tuple",
               number);
      return false;
    }
    v = args[number + 1];
  } else {
    for (uint32_t k = 0; k < args.keywords(); ++k)
      if (Text(args.names->items[k]) == head) v = args.args[args.count + k];
    if (v.empty()) {
      vm.RaiseValue(Error::kKeyError, vm.NewString(head));
      return false;
    }
  }
  while (!rest.empty()) {
    if (rest[0] == '.') {
      const size_t stop = std::min(rest.find_first_of(".[", 1), rest.size());
      String* attribute = vm.Intern(rest.substr(1, stop - 1));
      v = attribute == nullptr ? Value() : vm.GetAttribute(v, attribute);
      rest.remove_prefix(stop);
    } else {
      const size_t stop = std::min(rest.find(']'), rest.size());
      const std::string_view key = rest.substr(1, stop - 1);
      const bool number = !key.empty() && key.size() < 9 &&
                          key.find_first_not_of("0123456789") == std::string_view::npos;
      Value k = number ? Value::SmallInt(std::atoi(std::string(key).c_str())) : vm.NewString(key);
      v = k.empty() ? k : vm.Index(v, k);
      rest.remove_prefix(std::min(stop + 1, rest.size()));
    }
    if (v.empty()) return false;
  }
  std::string text, inner(spec);
  for (size_t open; (open = inner.find('{')) != std::string::npos &&
                    inner.find('}', open) != std::string::npos;) {
    const size_t close = inner.find('}', open);
    std::string value;
    if (!Field(vm, args, inner.substr(open + 1, close - open - 1), next, &value)) return false;
    if (value.find('{') != std::string::npos) break;
    inner.replace(open, close - open + 1, value);
  }
  if (conversion == 'r' || conversion == 's') {
    if (!(conversion == 'r' ? vm.Repr(v, &text) : vm.Str(v, &text))) return false;
    v = vm.NewString(text);
    if (v.empty()) return false;
  }
  return vm.Format(v, inner, out);
}

Value FormatMethod(Vm& vm, Args& args) {
  const std::string_view s = Self(args);
  std::string out;
  uint32_t next = 0;
  for (size_t i = 0; i < s.size(); ++i) {
    if ((s[i] == '{' || s[i] == '}') && i + 1 < s.size() && s[i + 1] == s[i]) {
      out.push_back(s[i++]);
    } else if (s[i] == '}') {
      return vm.Raise(Error::kValueError, "Single '}' encountered in format string");
    } else if (s[i] == '{') {
      size_t end = i + 1;
      for (int depth = 1; end < s.size(); ++end) {
        depth += s[end] == '{' ? 1 : s[end] == '}' ? -1 : 0;
        if (depth == 0) break;
      }
      if (end == s.size()) return vm.Raise(Error::kValueError, "expected '}' before end of string");
      if (!Field(vm, args, s.substr(i + 1, end - i - 1), &next, &out)) return Value();
      i = end;
    } else {
      out.push_back(s[i]);
    }
  }
  return vm.NewString(out);
}

constexpr BuiltinRow kRows[] = {{"capitalize", Capitalize}, {"casefold", LowerOf},
                                {"center", Center},         {"encode", Encode},
                                {"format", FormatMethod},   {"isalnum", IsAlnum},
                                {"isalpha", IsAlpha},       {"isdecimal", IsDigit},
                                {"isdigit", IsDigit},       {"isidentifier", IsIdentifier},
                                {"islower", IsLower},       {"isnumeric", IsDigit},
                                {"isspace", IsSpaceOf},     {"isupper", IsUpper},
                                {"ljust", LJust},           {"lower", LowerOf},
                                {"lstrip", LStrip},         {"rjust", RJust},
                                {"rstrip", RStrip},         {"strip", Strip},
                                {"swapcase", SwapCase},     {"title", Title},
                                {"upper", UpperOf},         {"zfill", ZFill}};

}  // namespace

bool InstallStr(Vm& vm) {
  return AddMethods(vm, vm.classes[static_cast<int>(Type::kString)], kRows);
}

}  // namespace ferry::vm
