// Built-in functions that do not iterate or convert.
#include "device-runtime/vm/exec/special.h"
#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/syntax/token.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {
namespace {

Value Print(Vm& vm, Args& args) {
  std::string out, separator = " ", end = "\n";
  for (uint32_t k = 0; k < args.keywords(); ++k) {
    const std::string_view name = Text(args.names->items[k]);
    Value v = args.args[args.count + k];
    if (name == "flush" || name == "file" || v.IsNone()) continue;
    if ((name != "sep" && name != "end") || !IsStr(v))
      return vm.Throw(Error::kTypeError, "print() got a bad keyword argument '{}'", name);
    (name == "sep" ? separator : end) = Text(v);
  }
  for (uint32_t i = 0; i < args.count; ++i) {
    if (i > 0) out += separator;
    if (!vm.Str(args[i], &out)) return Value();
    if (static_cast<int64_t>(out.size()) > vm.heap.limit()) return vm.OutOfMemory();
  }
  out += end;
  if (!vm.ChargeSteps(static_cast<int64_t>(out.size() / 16))) return Value();
  if (vm.options.print != nullptr) vm.options.print(out);
  return Value::None();
}

Value Len(Vm& vm, Args& args) {
  int64_t length;
  if (!Expect(vm, args, "len", 1, 1) || !vm.Length(args[0], &length)) return Value();
  return vm.NewInt(length);
}

Value Abs(Vm& vm, Args& args) {
  if (!Expect(vm, args, "abs", 1, 1)) return Value();
  Value v = args[0];
  if (v.IsFloat())
    return Value::Float(v.AsFloat() < 0 ? -v.AsFloat() : v.AsFloat() == 0 ? 0.0 : v.AsFloat());
  if (IsInt(v))
    return vm.Unary(static_cast<int>(IntCompare(v, Value::SmallInt(0)) < 0 ? Operator::kNegative
                                                                           : Operator::kPositive),
                    v);
  bool found;
  Value result = vm.CallSpecial(v, vm.names.abs, nullptr, 0, &found);
  return found ? result
               : vm.Throw(Error::kTypeError, "bad operand type for abs(): '{}'", vm.TypeName(v));
}

Value DivMod(Vm& vm, Args& args) {
  if (!Expect(vm, args, "divmod", 2, 2)) return Value();
  Value pair[2] = {vm.Binary(static_cast<int>(Operator::kFloorDiv), args[0], args[1]), Value()};
  if (pair[0].empty()) return Value();
  pair[1] = vm.Binary(static_cast<int>(Operator::kMod), args[0], args[1]);
  return pair[1].empty() ? Value() : vm.NewTuple(pair, 2);
}

Value Pow(Vm& vm, Args& args) {
  if (!Expect(vm, args, "pow", 2, 3)) return Value();
  if (args.count == 2 || args[2].IsNone())
    return vm.Binary(static_cast<int>(Operator::kPow), args[0], args[1]);
  if (!IsInt(args[0]) || !IsInt(args[1]) || !IsInt(args[2]))
    return vm.Raise(Error::kTypeError,
                    "pow() 3rd argument not allowed unless all arguments are integers");
  if (IntCompare(args[2], Value::SmallInt(0)) == 0)
    return vm.Raise(Error::kValueError, "pow() 3rd argument cannot be 0");
  return IntPow(vm, args[0], args[1], args[2]);
}

Value Chr(Vm& vm, Args& args) {
  int64_t code;
  if (!Expect(vm, args, "chr", 1, 1) || !vm.ToIndex(args[0], &code, "code", true)) return Value();
  if (code < 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
    return vm.Raise(Error::kValueError, "chr() arg not in range(0x110000)");
  std::string text;
  AppendUtf8(static_cast<uint32_t>(code), &text);
  return vm.NewString(text);
}

Value Ord(Vm& vm, Args& args) {
  if (!Expect(vm, args, "ord", 1, 1)) return Value();
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
  uint64_t hash;
  int64_t i;
  if (!Expect(vm, args, "hash", 1, 1)) return Value();
  if (SmallOf(args[0], &i)) return vm.NewInt(i == -1 ? -2 : i);
  return vm.Hash(args[0], &hash) ? Value::SmallInt(static_cast<int64_t>(hash >> 17)) : Value();
}

Value Id(Vm& vm, Args& args) {
  return Expect(vm, args, "id", 1, 1)
             ? Value::SmallInt(static_cast<int64_t>(args[0].bits() & 0x7FFFFFFFFFFF))
             : Value();
}

Value ReprOf(Vm& vm, Args& args) {
  std::string out;
  return Expect(vm, args, "repr", 1, 1) && vm.Repr(args[0], &out) ? vm.NewString(out) : Value();
}

Value FormatOf(Vm& vm, Args& args) {
  std::string out;
  if (!Expect(vm, args, "format", 1, 2)) return Value();
  return vm.Format(args[0], args.count > 1 && IsStr(args[1]) ? Text(args[1]) : "", &out)
             ? vm.NewString(out)
             : Value();
}

Value Based(Vm& vm, Args& args, const char* name, int base, const char* prefix) {
  if (!Expect(vm, args, name, 1, 1)) return Value();
  if (!IsInt(args[0]))
    return vm.Throw(Error::kTypeError, "'{}' object cannot be interpreted as an integer",
                    vm.TypeName(args[0]));
  if (!vm.ChargeSteps(IntTextSteps(args[0]))) return Value();
  std::string text = IntToText(args[0], base);
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

bool MatchesClass(Vm& vm, Class* cls, Value classes, bool* match) {
  if (Is(classes, Type::kTuple)) {
    for (uint32_t i = 0; i < As<Tuple>(classes)->size && !*match; ++i)
      if (!MatchesClass(vm, cls, As<Tuple>(classes)->items[i], match)) return false;
    return true;
  }
  if (!Is(classes, Type::kClass)) {
    vm.Raise(Error::kTypeError, "arg 2 must be a type or a tuple of types");
    return false;
  }
  *match = vm.IsSubclass(cls, As<Class>(classes));
  return true;
}

Value IsInstanceOf(Vm& vm, Args& args) {
  bool match = false;
  if (!Expect(vm, args, "isinstance", 2, 2)) return Value();
  return MatchesClass(vm, vm.ClassOf(args[0]), args[1], &match) ? Value::Bool(match) : Value();
}

Value IsSubclassOf(Vm& vm, Args& args) {
  bool match = false;
  if (!Expect(vm, args, "issubclass", 2, 2)) return Value();
  if (!Is(args[0], Type::kClass))
    return vm.Raise(Error::kTypeError, "issubclass() arg 1 must be a class");
  return MatchesClass(vm, As<Class>(args[0]), args[1], &match) ? Value::Bool(match) : Value();
}

Value Callable(Vm& vm, Args& args) {
  if (!Expect(vm, args, "callable", 1, 1)) return Value();
  Value v = args[0];
  return Value::Bool(Is(v, Type::kFunction) || Is(v, Type::kNative) || Is(v, Type::kClass) ||
                     Is(v, Type::kBoundMethod) ||
                     !vm.FindInClass(vm.ClassOf(v), vm.names.call).empty());
}

String* AttributeName(Vm& vm, Value v) {
  if (IsStr(v)) return vm.Intern(Text(v));
  vm.Raise(Error::kTypeError, "attribute name must be string");
  return nullptr;
}

Value GetAttr(Vm& vm, Args& args) {
  if (!Expect(vm, args, "getattr", 2, 3)) return Value();
  String* name = AttributeName(vm, args[1]);
  if (name == nullptr) return Value();
  Value found = vm.GetAttribute(args[0], name);
  if (found.empty() && args.count == 3 && vm.TakePending(Error::kAttributeError)) return args[2];
  return found;
}

Value HasAttr(Vm& vm, Args& args) {
  if (!Expect(vm, args, "hasattr", 2, 2)) return Value();
  String* name = AttributeName(vm, args[1]);
  if (name == nullptr) return Value();
  if (!vm.GetAttribute(args[0], name).empty()) return Value::Bool(true);
  return vm.TakePending(Error::kAttributeError) ? Value::Bool(false) : Value();
}

Value SetAttr(Vm& vm, Args& args) {
  if (!Expect(vm, args, "setattr", 3, 3)) return Value();
  String* name = AttributeName(vm, args[1]);
  return name != nullptr && vm.SetAttribute(args[0], name, args[2]) ? Value::None() : Value();
}

constexpr BuiltinRow kRows[] = {{"abs", Abs},
                                {"bin", Bin},
                                {"callable", Callable},
                                {"chr", Chr},
                                {"divmod", DivMod},
                                {"format", FormatOf},
                                {"getattr", GetAttr},
                                {"hasattr", HasAttr},
                                {"hash", HashOf},
                                {"hex", Hex},
                                {"id", Id},
                                {"isinstance", IsInstanceOf},
                                {"issubclass", IsSubclassOf},
                                {"len", Len},
                                {"oct", Oct},
                                {"ord", Ord},
                                {"pow", Pow},
                                {"print", Print},
                                {"repr", ReprOf},
                                {"setattr", SetAttr}};

}  // namespace

bool InstallFunctions(Vm& vm) {
  for (const BuiltinRow& row : kRows) {
    Value native = vm.NewNative(row.name, row.function, nullptr, row.collects);
    if (native.empty() || !vm.DictSetText(vm.builtins, row.name, native)) return false;
  }
  return true;
}

}  // namespace ferry::vm
