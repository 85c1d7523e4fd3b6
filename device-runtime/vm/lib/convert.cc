// int(), float(), str(), bool(), list(), tuple(), dict(), set() ...: __new__ of the built-in
// classes.
#include <cmath>
#include <cstdlib>

#include "device-runtime/vm/exec/slow.h"
#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

std::string_view Stripped(std::string_view s) {
  while (!s.empty() && IsSpace(static_cast<unsigned char>(s.front()))) s.remove_prefix(1);
  while (!s.empty() && IsSpace(static_cast<unsigned char>(s.back()))) s.remove_suffix(1);
  return s;
}

Value IntOfText(Vm& vm, std::string_view text, int base) {
  std::string digits;
  std::string_view s = Stripped(text);
  const bool negative = !s.empty() && s[0] == '-';
  if (!s.empty() && (s[0] == '-' || s[0] == '+')) s.remove_prefix(1);
  if (s.size() > 2 && s[0] == '0') {
    const char p = static_cast<char>(s[1] | 0x20);
    const int shown = p == 'x' ? 16 : p == 'o' ? 8 : p == 'b' ? 2 : 0;
    if (shown != 0 && (base == shown || base == 0)) {
      s.remove_prefix(2);
      base = shown;
    }
  }
  if (base == 0) base = 10;
  bool good =
      !s.empty() && s.front() != '_' && s.back() != '_' && s.front() != '-' && s.front() != '+';
  good = good && s.find("__") == std::string_view::npos;
  for (char c : s)
    if (c != '_') digits.push_back(c);
  if (good) {
    Value v = ParseInt(vm, (negative ? "-" : "") + digits, base);
    if (!v.empty() || !vm.TakePending(Error::kValueError)) return v;
  }
  std::string shown;
  AppendQuoted(text, false, &shown);
  return vm.Throw(Error::kValueError, "invalid literal for int() with base {}: {}", base, shown);
}

Value NewIntOf(Vm& vm, Args& args) {
  Value bound[2];
  static constexpr const char* kNames[] = {"x", "base"};
  if (!BindBuiltin(vm, args, "int", kNames, 0, 2, bound)) return Value();
  Value v = bound[0];
  if (v.empty()) return Value::SmallInt(0);
  if (!bound[1].empty()) {
    int64_t base;
    if (!vm.ToIndex(bound[1], &base, "base")) return Value();
    if (!IsStr(v))
      return vm.Raise(Error::kTypeError, "int() can't convert non-string with explicit base");
    if (base != 0 && (base < 2 || base > 36))
      return vm.Raise(Error::kValueError, "int() base must be >= 2 and <= 36, or 0");
    return IntOfText(vm, Text(v), static_cast<int>(base));
  }
  if (v.IsFloat()) {
    if (std::isnan(v.AsFloat()))
      return vm.Raise(Error::kValueError, "cannot convert float NaN to integer");
    if (std::isinf(v.AsFloat()))
      return vm.Raise(Error::kOverflowError, "cannot convert float infinity to integer");
    return IntFromDouble(vm, v.AsFloat());
  }
  if (IsInt(v)) return vm.Unary(static_cast<int>(Operator::kPositive), v);
  if (IsStr(v)) return IntOfText(vm, Text(v), 10);
  bool found;
  Value result = vm.CallSpecial(v, vm.names.to_int, nullptr, 0, &found);
  if (!found) result = vm.CallSpecial(v, vm.names.index, nullptr, 0, &found);
  return found ? result
               : vm.Throw(Error::kTypeError,
                          "int() argument must be a string, a bytes-like object or a real number, "
                          "not '{}'",
                          vm.TypeName(v));
}

Value FloatOfText(Vm& vm, std::string_view text) {
  std::string s(Stripped(text));
  std::string clean;
  bool good = !s.empty() && s.find_first_of("xXpP") == std::string::npos &&
              s.find('(') == std::string::npos;
  for (size_t i = 0; i < s.size(); ++i) {
    if (s[i] != '_')
      clean.push_back(s[i]);
    else
      good = good && i > 0 && i + 1 < s.size() &&
             std::isdigit(static_cast<unsigned char>(s[i - 1])) &&
             std::isdigit(static_cast<unsigned char>(s[i + 1]));
  }
  char* end = nullptr;
  const double d = std::strtod(clean.c_str(), &end);
  if (good && end == clean.c_str() + clean.size()) return Value::Float(d);
  std::string shown;
  AppendQuoted(text, false, &shown);
  return vm.Throw(Error::kValueError, "could not convert string to float: {}", shown);
}

Value NewFloat(Vm& vm, Args& args) {
  if (!Expect(vm, args, "float", 0, 1)) return Value();
  if (args.count == 0) return Value::Float(0);
  Value v = args[0];
  if (v.IsFloat()) return v;
  if (IsInt(v)) {
    const double d = IntToDouble(v);
    return std::isinf(d) ? vm.Raise(Error::kOverflowError, "int too large to convert to float")
                         : Value::Float(d);
  }
  if (IsStr(v)) return FloatOfText(vm, Text(v));
  bool found;
  Value result = vm.CallSpecial(v, vm.names.to_float, nullptr, 0, &found);
  return found ? result
               : vm.Throw(Error::kTypeError,
                          "float() argument must be a string or a real number, not '{}'",
                          vm.TypeName(v));
}

Value NewStr(Vm& vm, Args& args) {
  if (!Expect(vm, args, "str", 0, 3)) return Value();
  if (args.count == 0) return vm.empty_string;
  if (args.count > 1 && Is(args[0], Type::kBytes))
    return vm.NewStringChecked(As<BytesObject>(args[0])->view());
  return vm.StrValue(args[0]);
}

Value NewBool(Vm& vm, Args& args) {
  bool truth = false;
  if (!Expect(vm, args, "bool", 0, 1) || (args.count == 1 && !vm.Truth(args[0], &truth)))
    return Value();
  return Value::Bool(truth);
}

Value NewListOf(Vm& vm, Args& args) {
  if (!Expect(vm, args, "list", 0, 1)) return Value();
  return args.count == 0 ? vm.NewList(nullptr, 0) : vm.ToList(args[0]);
}

Value NewTupleOf(Vm& vm, Args& args) {
  if (!Expect(vm, args, "tuple", 0, 1)) return Value();
  if (args.count == 0 || Is(args[0], Type::kTuple))
    return args.count == 0 ? vm.empty_tuple : args[0];
  Value list = vm.ToList(args[0]);
  return list.empty() ? list : vm.NewTuple(As<List>(list)->items, As<List>(list)->size);
}

Value NewSetOf(Vm& vm, Args& args, Type type) {
  if (!Expect(vm, args, "set", 0, 1)) return Value();
  Value set = vm.NewDict(type);
  if (set.empty() || args.count == 0) return set;
  return SetUpdate(vm, As<Dict>(set), args[0]) ? set : Value();
}
Value NewPlainSet(Vm& vm, Args& args) {
  return NewSetOf(vm, args, Type::kSet);
}
Value NewFrozenSet(Vm& vm, Args& args) {
  return NewSetOf(vm, args, Type::kFrozenSet);
}

Value NewBytesOf(Vm& vm, Args& args) {
  if (!Expect(vm, args, "bytes", 0, 2)) return Value();
  if (args.count == 0) return vm.NewBytes("");
  if (IsStr(args[0])) {
    if (args.count == 1) return vm.Raise(Error::kTypeError, "string argument without an encoding");
    return vm.NewBytes(Text(args[0]));
  }
  if (Is(args[0], Type::kBytes)) return args[0];
  int64_t size;
  if (SmallOf(args[0], &size)) {
    if (size < 0) return vm.Raise(Error::kValueError, "negative count");
    if (size > vm.heap.limit()) return vm.OutOfMemory();
    return vm.NewBytes(std::string(static_cast<size_t>(size), '\0'));
  }
  Value list = vm.ToList(args[0]);
  if (list.empty()) return list;
  std::string out;
  for (uint32_t i = 0; i < As<List>(list)->size; ++i) {
    if (!vm.ToIndex(As<List>(list)->items[i], &size, "byte", true)) return Value();
    if (size < 0 || size > 255)
      return vm.Raise(Error::kValueError, "bytes must be in range(0, 256)");
    out.push_back(static_cast<char>(size));
  }
  return vm.NewBytes(out);
}

struct Maker {
  int cls;
  BuiltinRow row;
};
constexpr Maker kMakers[] = {{kIntClass, {"__new__", NewIntOf}},
                             {kFloatClass, {"__new__", NewFloat}},
                             {kBoolClass, {"__new__", NewBool}},
                             {static_cast<int>(Type::kString), {"__new__", NewStr}},
                             {static_cast<int>(Type::kBytes), {"__new__", NewBytesOf}},
                             {static_cast<int>(Type::kList), {"__new__", NewListOf, true}},
                             {static_cast<int>(Type::kTuple), {"__new__", NewTupleOf, true}},
                             {static_cast<int>(Type::kSet), {"__new__", NewPlainSet, true}},
                             {static_cast<int>(Type::kFrozenSet), {"__new__", NewFrozenSet, true}}};

Value BitLength(Vm& vm, Args& args) {
  return vm.NewInt(IntBitLength(args[0]));
}
Value IsInteger(Vm&, Args& args) {
  const double d = args[0].IsFloat() ? args[0].AsFloat() : 0;
  return Value::Bool(std::isfinite(d) && d == std::floor(d));
}
Value Decode(Vm& vm, Args& args) {
  const std::string_view bytes = As<BytesObject>(args[0])->view();
  if (!IsUtf8(bytes))
    return vm.Raise(Error::kUnicodeDecodeError, "'utf-8' codec can't decode bytes");
  return vm.NewString(bytes);
}
Value HexOf(Vm& vm, Args& args) {
  std::string out;
  for (char c : As<BytesObject>(args[0])->view())
    out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return vm.NewString(out);
}
constexpr BuiltinRow kIntRows[] = {{"bit_length", BitLength}};
constexpr BuiltinRow kFloatRows[] = {{"is_integer", IsInteger}};
constexpr BuiltinRow kBytesRows[] = {{"decode", Decode}, {"hex", HexOf}};

}  // namespace

bool InstallConversions(Vm& vm) {
  for (const Maker& maker : kMakers)
    if (!AddMethods(vm, vm.classes[maker.cls], {&maker.row, 1})) return false;
  return AddMethods(vm, vm.classes[kIntClass], kIntRows) &&
         AddMethods(vm, vm.classes[kFloatClass], kFloatRows) &&
         AddMethods(vm, vm.classes[static_cast<int>(Type::kBytes)], kBytesRows);
}

}  // namespace ferry::vm
