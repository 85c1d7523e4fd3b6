// Methods of str about letters: case, and the questions that begin with "is".
#include <cstring>

#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/lib/types/str_arguments.h"
#include "device-runtime/vm/text/builder.h"
#include "device-runtime/vm/text/text.h"
#include "device-runtime/vm/text/unicode.h"

namespace ferry::vm {
namespace {

constexpr uint32_t kSigma = 0x3A3, kFinalSigma = 0x3C2;

enum class Mode { kLower, kUpper, kCapitalize, kTitle, kSwap, kFold };

// Whether the sigma before byte `after` (its own place is `at`) ends a word.
bool EndsWord(std::string_view s, size_t at, size_t after) {
  bool before = false;
  for (size_t i = at; i > 0;) {
    do {
      --i;
    } while (i > 0 && (static_cast<unsigned char>(s[i]) & 0xC0) == 0x80);
    size_t next = i;
    const uint32_t c = Utf8Next(s, &next);
    if (IsCaseIgnorable(c)) continue;
    before = IsCased(c);
    break;
  }
  if (!before) return false;
  for (size_t i = after; i < s.size();) {
    const uint32_t c = Utf8Next(s, &i);
    if (!IsCaseIgnorable(c)) return !IsCased(c);
  }
  return true;
}

Value AsciiCase(Vm& vm, std::string_view s, Mode mode) {
  char* out;
  Value v = NewText(vm, s.size(), s.size(), &out);
  if (v.empty()) return v;
  if (mode == Mode::kUpper || mode == Mode::kLower || mode == Mode::kFold) {
    const unsigned first = mode == Mode::kUpper ? 'a' : 'A';
    const char* from = s.data();
    constexpr uint64_t kOnes = 0x0101010101010101ull;
    size_t i = 0;
    for (; i + 8 <= s.size(); i += 8) {  // all below 128: a sum in a byte stays there
      uint64_t word;
      std::memcpy(&word, from + i, sizeof word);
      const uint64_t letters =
          (word + kOnes * (128 - first)) & ~(word + kOnes * (128 - first - 26)) & (kOnes << 7);
      word ^= letters >> 2;
      std::memcpy(out + i, &word, sizeof word);
    }
    for (; i < s.size(); ++i) {
      const auto c = static_cast<unsigned char>(from[i]);
      out[i] = static_cast<char>(c ^ (c - first < 26u ? 32 : 0));
    }
    return v;
  }
  bool in_word = false;
  for (size_t i = 0; i < s.size(); ++i) {
    const char c = s[i];
    const bool lower = c >= 'a' && c <= 'z', upper = c >= 'A' && c <= 'Z';
    bool raise = false;
    switch (mode) {
      case Mode::kUpper:
        raise = true;
        break;
      case Mode::kCapitalize:
        raise = i == 0;
        break;
      case Mode::kTitle:
        raise = !in_word;
        break;
      case Mode::kSwap:
        raise = lower;
        break;
      default:
        break;
    }
    in_word = lower || upper;
    out[i] = static_cast<char>(lower && raise ? c - 32 : upper && !raise ? c + 32 : c);
  }
  return v;
}

Value WideCase(Vm& vm, std::string_view s, Mode mode) {
  TextBuilder out(vm);
  bool first = true, in_word = false;
  for (size_t at = 0; at < s.size();) {
    const size_t start = at;
    const uint32_t c = Utf8Next(s, &at);
    if (c < 128 && (mode == Mode::kUpper || mode == Mode::kLower)) {
      const bool other = c - (mode == Mode::kUpper ? 'a' : 'A') < 26u;
      if (!out.Append(static_cast<char>(other ? c ^ 32 : c))) return Value();
      continue;
    }
    uint32_t mapped[kMaxCaseExpansion];
    int count;
    const bool small = mode == Mode::kLower || (mode == Mode::kCapitalize && !first) ||
                       (mode == Mode::kTitle && in_word) || (mode == Mode::kSwap && IsUpper(c));
    if (mode == Mode::kFold) {
      count = FullFold(c, mapped);
    } else if (small) {
      count = FullLower(c, mapped);
      if (c == kSigma && EndsWord(s, start, at)) mapped[0] = kFinalSigma;
    } else if (mode == Mode::kUpper || (mode == Mode::kSwap && IsLower(c))) {
      count = FullUpper(c, mapped);
    } else if (mode == Mode::kSwap) {
      mapped[0] = c;
      count = 1;
    } else {
      count = FullTitle(c, mapped);
    }
    for (int i = 0; i < count; ++i)
      if (!out.AppendCode(mapped[i])) return Value();
    in_word = IsCased(c);
    first = false;
  }
  return out.ToString();
}

template <Mode mode>
Value Case(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"str.lower", "str.upper",    "str.capitalize",
                                           "str.title", "str.swapcase", "str.casefold"};
  if (!NoArguments(vm, args, kNames[static_cast<int>(mode)])) return Value();
  const auto* s = As<String>(args[0]);
  if (!vm.ChargeSteps(s->size / (s->ascii() ? 64 : 8))) return Value();
  return s->ascii() ? AsciiCase(vm, s->view(), mode) : WideCase(vm, s->view(), mode);
}

// ---- questions ----

// What the ASCII characters are.
enum AsciiKind : uint8_t {
  kAlpha = 1,
  kDigit = 2,
  kSpace = 4,
  kUpper = 8,
  kLower = 16,
  kWord = 32,
  kPrintable = 64
};
struct AsciiTable {
  uint8_t kinds[128];
};
constexpr AsciiTable kAscii = [] {
  AsciiTable table{};
  for (unsigned c = 0; c < 128; ++c) {
    const bool upper = c >= 'A' && c <= 'Z', lower = c >= 'a' && c <= 'z';
    const bool digit = c >= '0' && c <= '9';
    const bool space = (c >= 9 && c <= 13) || (c >= 0x1C && c <= ' ');
    table.kinds[c] = static_cast<uint8_t>(
        (upper || lower ? kAlpha : 0) | (digit ? kDigit : 0) | (space ? kSpace : 0) |
        (upper ? kUpper : 0) | (lower ? kLower : 0) | (upper || lower || c == '_' ? kWord : 0) |
        (c >= ' ' && c < 127 ? kPrintable : 0));
  }
  return table;
}();
uint8_t KindsOf(char c) {
  return kAscii.kinds[static_cast<unsigned char>(c)];
}

// `kinds`: one of which ASCII characters must be.
template <typename F>
Value AllOf(Vm& vm, Args& args, const char* name, bool of_empty, unsigned kinds, F accept) {
  if (!NoArguments(vm, args, name)) return Value();
  const std::string_view s = Text(args[0]);
  if (s.size() == 1 && kinds != 0) return Value::Bool((KindsOf(s[0]) & kinds) != 0);
  if (!vm.ChargeSteps(static_cast<int64_t>(s.size() / 32))) return Value();
  if (s.empty()) return Value::Bool(of_empty);
  if (As<String>(args[0])->ascii() && kinds != 0) {
    for (const char c : s)
      if ((KindsOf(c) & kinds) == 0) return Value::Bool(false);
    return Value::Bool(true);
  }
  for (size_t at = 0; at < s.size();)
    if (!accept(Utf8Next(s, &at))) return Value::Bool(false);
  return Value::Bool(true);
}

Value IsAlphaOf(Vm& vm, Args& args) {
  return AllOf(vm, args, "str.isalpha", false, kAlpha, IsAlpha);
}
Value IsAlnumOf(Vm& vm, Args& args) {
  return AllOf(vm, args, "str.isalnum", false, kAlpha | kDigit,
               [](uint32_t c) { return IsAlpha(c) || IsNumeric(c) || IsDigit(c); });
}
Value IsDecimalOf(Vm& vm, Args& args) {
  return AllOf(vm, args, "str.isdecimal", false, kDigit, IsDecimal);
}
Value IsDigitOf(Vm& vm, Args& args) {
  return AllOf(vm, args, "str.isdigit", false, kDigit, IsDigit);
}
Value IsNumericOf(Vm& vm, Args& args) {
  return AllOf(vm, args, "str.isnumeric", false, kDigit,
               [](uint32_t c) { return IsNumeric(c) || IsDigit(c); });
}
Value IsSpaceOf(Vm& vm, Args& args) {
  return AllOf(vm, args, "str.isspace", false, kSpace, IsSpace);
}
Value IsPrintableOf(Vm& vm, Args& args) {
  return AllOf(vm, args, "str.isprintable", true, kPrintable, IsPrintable);
}
Value IsIdentifierOf(Vm& vm, Args& args) {
  const auto* s = As<String>(args[0]);
  if (s->ascii() && s->size > 0 && (KindsOf(s->data[0]) & kWord) == 0 && args.count == 1)
    return Value::Bool(false);
  bool first = true;
  return AllOf(vm, args, "str.isidentifier", false, kWord | kDigit, [&](uint32_t c) {
    const bool ok = first ? IsIdentifierStart(c) : IsIdentifierPart(c);
    first = false;
    return ok;
  });
}
Value IsAsciiOf(Vm& vm, Args& args) {
  if (!NoArguments(vm, args, "str.isascii")) return Value();
  return Value::Bool(As<String>(args[0])->ascii());
}

// All cased letters are of the one case, and there is one.
Value OneCase(Vm& vm, Args& args, const char* name, bool upper) {
  bool any = false;
  const auto accept = [&](uint32_t c) {
    if (c < 128) {
      const uint8_t kinds = kAscii.kinds[c];
      any = any || (kinds & (upper ? kUpper : kLower)) != 0;
      return (kinds & (upper ? kLower : kUpper)) == 0;
    }
    if (upper ? IsLower(c) || IsTitle(c) : IsUpper(c) || IsTitle(c)) return false;
    any = any || (upper ? IsUpper(c) : IsLower(c));
    return true;
  };
  const Value all = AllOf(vm, args, name, false, 0, accept);
  return all.IsTrue() ? Value::Bool(any) : all;
}
Value IsUpperOf(Vm& vm, Args& args) {
  return OneCase(vm, args, "str.isupper", true);
}
Value IsLowerOf(Vm& vm, Args& args) {
  return OneCase(vm, args, "str.islower", false);
}
Value IsTitleOf(Vm& vm, Args& args) {
  bool any = false, in_word = false;
  Value all = AllOf(vm, args, "str.istitle", false, 0, [&](uint32_t c) {
    const bool capital = IsUpper(c) || IsTitle(c), cased = capital || IsLower(c);
    if (cased && capital == in_word) return false;
    any = any || cased;
    in_word = cased;
    return true;
  });
  return all.IsTrue() ? Value::Bool(any) : all;
}

constexpr BuiltinRow kRows[] = {{"capitalize", Case<Mode::kCapitalize>},
                                {"casefold", Case<Mode::kFold>},
                                {"isalnum", IsAlnumOf},
                                {"isalpha", IsAlphaOf},
                                {"isascii", IsAsciiOf},
                                {"isdecimal", IsDecimalOf},
                                {"isdigit", IsDigitOf},
                                {"isidentifier", IsIdentifierOf},
                                {"islower", IsLowerOf},
                                {"isnumeric", IsNumericOf},
                                {"isprintable", IsPrintableOf},
                                {"isspace", IsSpaceOf},
                                {"istitle", IsTitleOf},
                                {"isupper", IsUpperOf},
                                {"lower", Case<Mode::kLower>},
                                {"swapcase", Case<Mode::kSwap>},
                                {"title", Case<Mode::kTitle>},
                                {"upper", Case<Mode::kUpper>}};

}  // namespace

bool InstallStrCase(Vm& vm) {
  return AddMethods(vm, vm.classes[static_cast<int>(Type::kString)], kRows);
}

}  // namespace ferry::vm
