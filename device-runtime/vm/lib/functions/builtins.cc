// Built-in functions that do not iterate or convert.
#include "device-runtime/vm/exec/classes/special.h"
#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/exec/failure/warnings.h"
#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/number/complex.h"
#include "device-runtime/vm/syntax/token.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

Value Len(Vm& vm, Args& args) {
  int64_t length;
  if (!Expect(vm, args, "len", 1, 1) || !vm.Length(args[0], &length)) return Value();
  return vm.NewInt(length);
}

Value Abs(Vm& vm, Args& args) {
  if (!Expect(vm, args, "abs", 1, 1)) return Value();
  Value v = args[0];
  bool found;
  if (HasMethods(v)) {
    const Value own = vm.CallSpecial(v, vm.names.abs, nullptr, 0, &found);
    if (found) return own;
    v = Plain(v);
  }
  if (v.IsFloat())
    return Value::Float(v.AsFloat() < 0 ? -v.AsFloat() : v.AsFloat() == 0 ? 0.0 : v.AsFloat());
  if (IsInt(v))
    return vm.Unary(static_cast<int>(IntCompare(v, Value::SmallInt(0)) < 0 ? Operator::kNegative
                                                                           : Operator::kPositive),
                    v);
  Value result = vm.CallSpecial(v, vm.names.abs, nullptr, 0, &found);
  return found ? result
               : vm.Throw(Error::kTypeError, "bad operand type for abs(): '{}'", vm.TypeName(v));
}

// a.name(b), then b.reflected(a); false when neither answers.
bool CallReflected(Vm& vm, const char* name, const char* reflected, Value a, Value b,
                   Value* result) {
  for (const bool first : {true, false}) {
    String* method = vm.Intern(first ? name : reflected);
    bool found;
    *result = Value();
    if (method == nullptr) return true;
    *result = vm.CallSpecial(first ? a : b, method, first ? &b : &a, 1, &found);
    if (found && !(*result == vm.not_implemented)) return true;
  }
  return vm.failed();
}

Value DivMod(Vm& vm, Args& args) {
  if (!Expect(vm, args, "divmod", 2, 2)) return Value();
  const auto has = [&](Value v, const char* name) {
    String* method = HasMethods(v) ? vm.Intern(name) : nullptr;
    return method != nullptr && !vm.FindSpecial(vm.ClassOf(v), method).empty();
  };
  Value own;
  const bool plain = IsFloatValue(args[0]) && IsInt(args[1]);  // a float asks no int
  if ((has(args[0], "__divmod__") || (!plain && has(args[1], "__rdivmod__"))) &&
      CallReflected(vm, "__divmod__", "__rdivmod__", args[0], args[1], &own))
    return own;
  if (IsInt(args[0]) && IsInt(args[1])) {
    Value both[2];
    return IntDivMod(vm, args[0], args[1], &both[0], &both[1], "integer division or modulo by zero")
               ? vm.NewTuple(both, 2)
               : Value();
  }
  args.args[0] = IsFloatValue(args[0]) ? Plain(args[0]) : args[0];
  const bool numbers =
      (args[0].IsFloat() || IsInt(args[0])) && (args[1].IsFloat() || IsInt(args[1]));
  if (numbers && !IsInt(args[1]) ? args[1].AsFloat() == 0 : numbers && IntSign(args[1]) == 0)
    return vm.Raise(Error::kZeroDivisionError, "float divmod()");
  if (!numbers) {
    Value result;
    if (CallReflected(vm, "__divmod__", "__rdivmod__", args[0], args[1], &result)) return result;
    return vm.Throw(Error::kTypeError, "unsupported operand type(s) for divmod(): '{}' and '{}'",
                    vm.TypeName(args[0]), vm.TypeName(args[1]));
  }
  Value pair[2] = {vm.Binary(static_cast<int>(Operator::kFloorDiv), args[0], args[1]), Value()};
  if (pair[0].empty()) return Value();
  pair[1] = vm.Binary(static_cast<int>(Operator::kMod), args[0], args[1]);
  return pair[1].empty() ? Value() : vm.NewTuple(pair, 2);
}

Value Pow(Vm& vm, Args& args) {
  Value bound[3];
  static constexpr const char* kNames[] = {"base", "exp", "mod"};
  if (!BindBuiltin(vm, args, "pow", kNames, 2, 3, bound)) return Value();
  if (bound[2].empty() || bound[2].IsNone())
    return vm.Binary(static_cast<int>(Operator::kPow), bound[0], bound[1]);
  bool found;
  const Value result = vm.CallSpecial(bound[0], vm.Intern("__pow__"), &bound[1], 2, &found);
  if (found && !(result == vm.not_implemented)) return result;
  if (!IsInt(bound[0]) || !IsInt(bound[1]) || !IsInt(bound[2])) {
    for (const Value v : bound) {  // the first that has an answer
      if (Plain(v).IsFloat())
        return vm.Raise(Error::kTypeError,
                        "pow() 3rd argument not allowed unless all arguments are integers");
      if (Is(v, Type::kComplex)) return vm.Raise(Error::kValueError, "complex modulo");
    }
    return vm.Throw(Error::kTypeError,
                    "unsupported operand type(s) for ** or pow(): '{}', '{}', '{}'",
                    vm.TypeName(bound[0]), vm.TypeName(bound[1]), vm.TypeName(bound[2]));
  }
  if (IntCompare(bound[2], Value::SmallInt(0)) == 0)
    return vm.Raise(Error::kValueError, "pow() 3rd argument cannot be 0");
  return IntPow(vm, Plain(bound[0]), Plain(bound[1]), Plain(bound[2]));
}

Value Chr(Vm& vm, Args& args) {
  int64_t code;
  if (!Expect(vm, args, "chr", 1, 1) || !vm.ToIndex(args[0], &code, "code", true)) return Value();
  if (code < INT32_MIN || code > INT32_MAX)
    return vm.Raise(Error::kOverflowError, "Python int too large to convert to C int");
  if (code < 0 || code > 0x10FFFF)
    return vm.Raise(Error::kValueError, "chr() arg not in range(0x110000)");
  std::string text;
  AppendUtf8(static_cast<uint32_t>(code), &text);
  return vm.NewString(text);
}

Value Ord(Vm& vm, Args& args) {
  if (!Expect(vm, args, "ord", 1, 1)) return Value();
  if (Is(args[0], Type::kBytes) || Is(args[0], Type::kByteArray)) {
    std::string copy;
    std::string_view bytes;
    if (!BytesOf(vm, args[0], &copy, &bytes)) return Value();
    if (bytes.size() == 1) return Value::SmallInt(static_cast<unsigned char>(bytes[0]));
    return vm.Throw(Error::kTypeError, "ord() expected a character, but string of length {} found",
                    bytes.size());
  }
  if (!IsStr(args[0]))
    return vm.Throw(Error::kTypeError, "ord() expected string of length 1, but {} found",
                    vm.TypeName(args[0]));
  if (As<String>(args[0])->length != 1)
    return vm.Throw(Error::kTypeError, "ord() expected a character, but string of length {} found",
                    As<String>(args[0])->length);
  size_t at = 0;
  return Value::SmallInt(Utf8Next(Text(args[0]), &at));
}

Value HashOf(Vm& vm, Args& args) {
  int64_t hash;
  return Expect(vm, args, "hash", 1, 1) && vm.HashVisible(args[0], &hash) ? vm.NewInt(hash)
                                                                          : Value();
}

Value Id(Vm& vm, Args& args) {
  return Expect(vm, args, "id", 1, 1) ? Value::SmallInt(static_cast<int64_t>(vm.Identity(args[0])))
                                      : Value();
}

Value ReprOf(Vm& vm, Args& args) {
  std::string out;
  return Expect(vm, args, "repr", 1, 1) && vm.Repr(args[0], &out) ? vm.NewString(out) : Value();
}

Value FormatOf(Vm& vm, Args& args) {
  std::string out;
  if (!Expect(vm, args, "format", 1, 2)) return Value();
  if (args.count > 1 && !IsStr(args[1]))
    return vm.Throw(Error::kTypeError, "format() argument 2 must be str, not {}",
                    args[1].IsNone() ? "None" : vm.TypeName(args[1]));
  return vm.Format(args[0], args.count > 1 && IsStr(args[1]) ? Text(args[1]) : "", &out)
             ? vm.NewString(out)
             : Value();
}

Value Based(Vm& vm, Args& args, const char* name, int base, const char* prefix) {
  if (!Expect(vm, args, name, 1, 1)) return Value();
  Roots roots(vm);
  Value number = args[0];
  if (!IsInt(number)) {
    bool found;
    number = roots.Add(vm.CallSpecial(args[0], vm.names.index, nullptr, 0, &found));
    if (found && number.empty()) return number;
    if (!found)
      return vm.Throw(Error::kTypeError, "'{}' object cannot be interpreted as an integer",
                      vm.TypeName(args[0]));
    if (!CheckReturned(vm, "__index__", &number, "int")) return Value();
    roots.Add(number);
  }
  std::string text;
  if (!AppendInt(vm, number, base, &text)) return Value();
  text.insert(text[0] == '-' ? 1 : 0, prefix);
  return vm.NewString(text);
}
Value Hex(Vm& vm, Args& args) {
  return Based(vm, args, "hex", 16, "0x");
}
Value Oct(Vm& vm, Args& args) {
  return Based(vm, args, "oct", 8, "0o");
}
Value Bin(Vm& vm, Args& args) {
  return Based(vm, args, "bin", 2, "0b");
}

Value IsInstanceOf(Vm& vm, Args& args) {
  bool match = false;
  if (!Expect(vm, args, "isinstance", 2, 2)) return Value();
  return vm.IsInstanceOf(args[0], args[1], &match) ? Value::Bool(match) : Value();
}

Value IsSubclassOf(Vm& vm, Args& args) {
  bool match = false;
  if (!Expect(vm, args, "issubclass", 2, 2)) return Value();
  return vm.IsSubclassOf(args[0], args[1], &match) ? Value::Bool(match) : Value();
}

Value Callable(Vm& vm, Args& args) {
  if (!Expect(vm, args, "callable", 1, 1)) return Value();
  return Value::Bool(IsCallable(vm, args[0]));
}

String* AttributeName(Vm& vm, Value v) {
  if (IsStr(v)) return vm.Intern(Text(v));
  vm.Throw(Error::kTypeError, "attribute name must be string, not '{}'", vm.TypeName(v));
  return nullptr;
}

Value GetAttr(Vm& vm, Args& args) {
  if (!Expect(vm, args, "getattr", 2, 3)) return Value();
  String* name = AttributeName(vm, args[1]);
  if (name == nullptr) return Value();
  if (args.count == 2) return vm.GetAttribute(args[0], name);
  const Value found = vm.GetAttributeOrEmpty(args[0], name);
  return found.empty() && (!vm.failed() || vm.TakePending(Error::kAttributeError)) ? args[2]
                                                                                   : found;
}

Value HasAttr(Vm& vm, Args& args) {
  if (!Expect(vm, args, "hasattr", 2, 2)) return Value();
  String* name = AttributeName(vm, args[1]);
  if (name == nullptr) return Value();
  if (!vm.GetAttributeOrEmpty(args[0], name).empty()) return Value::Bool(true);
  return !vm.failed() || vm.TakePending(Error::kAttributeError) ? Value::Bool(false) : Value();
}

Value SetAttr(Vm& vm, Args& args) {
  if (!Expect(vm, args, "setattr", 3, 3)) return Value();
  String* name = AttributeName(vm, args[1]);
  return name != nullptr && vm.SetAttribute(args[0], name, args[2]) ? Value::None() : Value();
}

Value Exit(Vm& vm, Args& args) {
  if (!Expect(vm, args, "exit", 0, 1)) return Value();
  const Value tuple = vm.NewTuple(args.args, args.count);
  if (tuple.empty()) return tuple;
  const Value exit = vm.MakeException(vm.errors[static_cast<int>(Error::kSystemExit)], tuple);
  if (!exit.empty()) vm.pending = exit;
  return Value();
}

constexpr BuiltinRow kRows[] = {{"abs", Abs, true},
                                {"bin", Bin, true},
                                {"callable", Callable},
                                {"chr", Chr},
                                {"divmod", DivMod, true},
                                {"exit", Exit},
                                {"format", FormatOf},
                                {"getattr", GetAttr, true},
                                {"hasattr", HasAttr, true},
                                {"hash", HashOf, true},
                                {"hex", Hex, true},
                                {"id", Id},
                                {"isinstance", IsInstanceOf, true},
                                {"issubclass", IsSubclassOf, true},
                                {"len", Len, true},
                                {"oct", Oct, true},
                                {"ord", Ord},
                                {"pow", Pow, true},
                                {"quit", Exit},
                                {"repr", ReprOf},
                                {"setattr", SetAttr, true}};

}  // namespace

bool InstallFunctions(Vm& vm) {
  for (const BuiltinRow& row : kRows) {
    Value native = vm.NewNative(row.name, row.function, nullptr, row.collects);
    if (native.empty() || !vm.DictSetText(vm.builtins, row.name, native)) return false;
  }
  return true;
}

}  // namespace ferry::vm
