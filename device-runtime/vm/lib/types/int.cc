// int: making and methods.
#include <algorithm>
#include <cmath>

#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/exec/failure/warnings.h"
#include "device-runtime/vm/lib/method.h"
#include "device-runtime/vm/lib/types/bytes.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/text/text.h"
#include "device-runtime/vm/text/unicode.h"

namespace ferry::vm {
namespace {

constexpr size_t kShownLiteral = 200;  // characters of a bad literal in the error

std::string_view Stripped(std::string_view s) {
  while (!s.empty() && IsSpace(static_cast<unsigned char>(s.front()))) s.remove_prefix(1);
  while (!s.empty() && IsSpace(static_cast<unsigned char>(s.back()))) s.remove_suffix(1);
  return s;
}

// Sign, prefix of the base, digits with single underscores between; empty: malformed.
bool ReadLiteral(std::string_view s, int* base, std::string* digits) {
  if (!s.empty() && (s[0] == '-' || s[0] == '+')) {
    if (s[0] == '-') digits->push_back('-');
    s.remove_prefix(1);
  }
  const bool any = *base == 0;
  bool prefixed = false;
  if (s.size() > 1 && s[0] == '0') {
    const char p = static_cast<char>(s[1] | 0x20);
    const int shown = p == 'x' ? 16 : p == 'o' ? 8 : p == 'b' ? 2 : 0;
    if (shown != 0 && (*base == shown || any)) {
      s.remove_prefix(2);
      *base = shown;
      prefixed = true;
    }
  }
  if (*base == 0) *base = 10;
  if (prefixed && !s.empty() && s[0] == '_') s.remove_prefix(1);
  if (s.empty() || s.front() == '_' || s.back() == '_' || s.front() == '-' || s.front() == '+' ||
      s.find("__") != std::string_view::npos)
    return false;
  if (any && !prefixed && s[0] == '0' && s.find_first_not_of("0_") != std::string_view::npos)
    return false;
  for (char c : s)
    if (c != '_') digits->push_back(c);
  return true;
}

bool AllDigits(std::string_view digits, int base) {
  if (digits.starts_with('-')) digits.remove_prefix(1);
  return std::all_of(digits.begin(), digits.end(), [base](char c) {
    const char low = static_cast<char>(c | 0x20);
    return c >= '0' && c <= '9' ? c - '0' < base : low >= 'a' && low - 'a' + 10 < base;
  });
}

// `shown` is what the error shows: the text, or its repr as bytes.
Value IntOfText(Vm& vm, std::string_view text, int base, bool bytes) {
  std::string digits;
  const int asked = base;
  const bool wide = !bytes && !IsAscii(text);
  if (wide && !vm.Scratch(text.size())) return Value();
  const std::string plain = wide ? AsciiDigits(text) : std::string();
  if (ReadLiteral(Stripped(wide ? plain : text), &base, &digits) && AllDigits(digits, base))
    return ParseInt(vm, digits, base);
  std::string shown;
  if (bytes) {
    AppendBytesRepr(text, &shown);
  } else {
    AppendQuoted(text, false, &shown);
  }
  shown.resize(Utf8Offset(shown, kShownLiteral));
  return vm.Throw(Error::kValueError, "invalid literal for int() with base {}: {}", asked, shown);
}

// What __int__ and __index__ give, when they give an int.
Value IntOfMethod(Vm& vm, Value v, String* name, bool* found) {
  Value result = vm.CallSpecial(v, name, nullptr, 0, found);
  if (!*found || result.empty() || result.IsSmallInt()) return result;
  return CheckReturned(vm, name->view(), &result, "int") ? result : Value();
}

// Few decimal digits, perhaps with a sign.
bool ShortInt(std::string_view s, int64_t* out) {
  const bool negative = !s.empty() && s[0] == '-';
  if (negative) s.remove_prefix(1);
  if (s.empty() || s.size() > 14) return false;
  int64_t i = 0;
  for (const char c : s) {
    if (c < '0' || c > '9') return false;
    i = i * 10 + (c - '0');
  }
  *out = negative ? -i : i;
  return true;
}

Value TruncatedOf(Vm& vm, double d) {
  if (std::isnan(d)) return vm.Raise(Error::kValueError, "cannot convert float NaN to integer");
  if (std::isinf(d))
    return vm.Raise(Error::kOverflowError, "cannot convert float infinity to integer");
  return IntFromDouble(vm, d);
}

Value NewIntOf(Vm& vm, Args& args) {
  int64_t short_int;
  if (args.count == 1 && args.names == nullptr && IsExact(args[0], Type::kString) &&
      ShortInt(Text(args[0]), &short_int))
    return Value::SmallInt(short_int);
  Value bound[2];
  static constexpr const char* kNames[] = {"", "base"};
  if (!BindBuiltin(vm, args, "int", kNames, 0, 2, bound)) return Value();
  Value v = bound[0];
  if (v.empty())
    return bound[1].empty() ? Value::SmallInt(0)
                            : vm.Raise(Error::kTypeError, "int() missing string argument");
  std::string copy;
  std::string_view text;
  const bool bytes = IsBytes(v);
  if (bytes) {  // what follows may run scripts that change it
    if (!BytesOf(vm, v, &copy, &text) || !vm.Scratch(2 * text.size())) return Value();
    copy = std::string(text);
    text = copy;
  }
  if (IsStr(v)) text = Text(v);
  if (!bound[1].empty()) {
    int64_t base;
    if (!vm.ToIndex(bound[1], &base, "base", true)) return Value();
    if (base != 0 && (base < 2 || base > 36))
      return vm.Raise(Error::kValueError, "int() base must be >= 2 and <= 36, or 0");
    if (!IsStr(v) && !bytes)
      return vm.Raise(Error::kTypeError, "int() can't convert non-string with explicit base");
    return IntOfText(vm, text, static_cast<int>(base), bytes);
  }
  if (v.IsFloat()) return TruncatedOf(vm, v.AsFloat());
  if (IsExact(v, Type::kString)) return IntOfText(vm, text, 10, false);
  bool found;
  Value result = IntOfMethod(vm, v, vm.names.to_int, &found);
  if (found) return result;
  if (IsInt(v)) return vm.Unary(static_cast<int>(Operator::kPositive), v);
  if (Plain(v).IsFloat()) return TruncatedOf(vm, Plain(v).AsFloat());
  result = IntOfMethod(vm, v, vm.names.index, &found);
  if (found) return result;
  String* trunc = vm.Intern("__trunc__");
  if (trunc == nullptr) return Value();
  result = vm.CallSpecial(v, trunc, nullptr, 0, &found);
  if (found && !result.empty() &&
      !WarnDeprecated(vm, "The delegation of int() to __trunc__ is deprecated."))
    return Value();
  if (found) {
    if (result.empty() || IsInt(result)) return result;
    const Value whole = IntOfMethod(vm, result, vm.names.index, &found);
    return found ? whole
                 : vm.Throw(Error::kTypeError, "__trunc__ returned non-Integral (type {})",
                            vm.TypeName(result));
  }
  if (IsStr(v) || bytes) return IntOfText(vm, text, 10, bytes);
  if (Is(v, Type::kArray) || Is(v, Type::kMemoryView)) {
    if (!BytesOf(vm, v, &copy, &text)) return Value();
    return IntOfText(vm, text, 10, true);
  }
  return vm.Throw(Error::kTypeError,
                  "int() argument must be a string, a bytes-like object or a real number, not '{}'",
                  vm.TypeName(v));
}

// ---- methods ----

Value BitLength(Vm& vm, Args& args) {
  return ExpectMethod(vm, args, "bit_length", 0, 0) ? vm.NewInt(IntBitLength(args[0])) : Value();
}
Value BitCount(Vm& vm, Args& args) {
  return ExpectMethod(vm, args, "bit_count", 0, 0) ? vm.NewInt(IntBitCount(args[0])) : Value();
}
// The plain int of self.
Value Plain(Vm& vm, Args& args) {
  return IntBinary(vm, static_cast<int>(Operator::kAdd), args[0], Value::SmallInt(0));
}
Value Conjugate(Vm& vm, Args& args) {
  return ExpectMethod(vm, args, "conjugate", 0, 0) ? Plain(vm, args) : Value();
}
Value Zero(Vm&, Args&) {
  return Value::SmallInt(0);
}
Value One(Vm&, Args&) {
  return Value::SmallInt(1);
}
Value AsRatio(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "as_integer_ratio", 0, 0)) return Value();
  Value pair[] = {Plain(vm, args), Value::SmallInt(1)};
  return pair[0].empty() ? Value() : vm.NewTuple(pair, 2);
}
Value Round(Vm& vm, Args& args) {
  int64_t digits = 0;
  if (!ExpectMethod(vm, args, "__round__", 0, 1) ||
      (args.count == 2 && !vm.ToIndex(args[1], &digits, "ndigits", true)))
    return Value();
  return IntRound(vm, args[0], digits);
}
Value NewArguments(Vm& vm, Args& args) {
  Value v = Plain(vm, args);
  return v.empty() ? v : vm.NewTuple(&v, 1);
}

// "little" or "big"; false: reported.
bool ByteOrder(Vm& vm, Value v, const char* name, bool* little) {
  *little = false;
  if (v.empty()) return true;
  if (!IsStr(v)) {
    vm.Throw(Error::kTypeError, "{}() argument 'byteorder' must be str, not {}", name,
             v.IsNone() ? "None" : vm.TypeName(v));
    return false;
  }
  *little = Text(v) == "little";
  if (*little || Text(v) == "big") return true;
  vm.Raise(Error::kValueError, "byteorder must be either 'little' or 'big'");
  return false;
}

Value ToBytes(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"length", "byteorder", "signed"};
  Value bound[3];
  int64_t length = 1;
  bool little, is_signed = false;
  if (!BindMethod(vm, args, "to_bytes", kNames, 0, 2, bound) ||
      (!bound[0].empty() && !vm.ToIndex(bound[0], &length, "length")) ||
      !ByteOrder(vm, bound[1], "to_bytes", &little) ||
      (!bound[2].empty() && !vm.Truth(bound[2], &is_signed)))
    return Value();
  if (length < 0) return vm.Raise(Error::kValueError, "length argument must be non-negative");
  if (length > LargestBytes(vm)) return vm.TooLarge();
  if (!vm.Scratch(2 * static_cast<size_t>(length))) return Value();
  std::string out(static_cast<size_t>(length), '\0');
  return vm.ChargeSteps(length / 64) &&
                 IntToBytes(vm, args[0], out.size(), little, is_signed, out.data())
             ? vm.NewBytes(out)
             : Value();
}

Value FromBytes(Vm& vm, Args& args) {
  static constexpr const char* kNames[] = {"bytes", "byteorder", "signed"};
  Value bound[3];
  bool little, is_signed = false;
  std::string bytes;
  if (!BindMethod(vm, args, "from_bytes", kNames, 1, 2, bound) ||
      !ByteOrder(vm, bound[1], "from_bytes", &little) ||
      (!bound[2].empty() && !vm.Truth(bound[2], &is_signed)))
    return Value();
  if (IsInt(bound[0]) || IsStr(bound[0]))
    return vm.Throw(Error::kTypeError, "cannot convert '{}' object to bytes",
                    vm.TypeName(bound[0]));
  if (!BytesOfValue(vm, bound[0], "bytes", "bytes must be in range(0, 256)", &bytes))
    return Value();
  Value v = IntFromBytes(vm, bytes.data(), bytes.size(), little, is_signed);
  if (v.empty() || As<Class>(args[0]) == vm.classes[kIntClass]) return v;
  return vm.Call(args[0], &v, 1);
}

constexpr BuiltinRow kRows[] = {
    {"__ceil__", Plain},           {"__floor__", Plain},    {"__getnewargs__", NewArguments},
    {"__new__", NewIntOf, true},   {"__round__", Round},    {"__trunc__", Plain},
    {"as_integer_ratio", AsRatio}, {"bit_count", BitCount}, {"bit_length", BitLength},
    {"conjugate", Conjugate},      {"to_bytes", ToBytes}};
constexpr BuiltinRow kProperties[] = {
    {"denominator", One}, {"imag", Zero}, {"numerator", Plain}, {"real", Plain}};

}  // namespace

bool InstallInt(Vm& vm) {
  Class* cls = vm.classes[kIntClass];
  for (const BuiltinRow& row : kProperties)
    if (!AddProperty(vm, cls, row.name, row.function)) return false;
  return AddClassMethod(vm, cls, "from_bytes", FromBytes, true) && AddMethods(vm, cls, kRows);
}

}  // namespace ferry::vm
