// The special methods of built-in types as attributes: what int.__add__, super().__getitem__ or
// object.__repr__ mean. Operators do not come here: they do the same at once (Native::wrapper).
#include "device-runtime/vm/exec/call/call.h"
#include "device-runtime/vm/exec/classes/shape.h"
#include "device-runtime/vm/exec/classes/special.h"
#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/lib/method.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/number/complex.h"

namespace ferry::vm {
namespace {

// Which words CPython has for a wrong number of arguments: of a slot, of one that takes its
// arguments apart (by a name that is empty there), of a method.
enum class Style : uint8_t { kSlot, kUnpacked, kMethod };

// `count` arguments after self and no keyword.
bool Takes(Vm& vm, const Args& args, uint32_t count, Style style = Style::kSlot) {
  if (args.count == count + 1 && args.keywords() == 0) return true;
  const Native* native = vm.running;
  const std::string_view name = native == nullptr ? "" : native->name;
  const int64_t given = static_cast<int64_t>(args.count) - 1;
  if (style == Style::kMethod) {
    const std::string_view owner =
        native == nullptr || native->owner == nullptr ? "object" : native->owner->name->view();
    if (args.keywords() > 0) {
      vm.Throw(Error::kTypeError, "{}.{}() takes no keyword arguments", owner, name);
    } else {
      vm.Throw(Error::kTypeError, "{}.{}() takes {} ({} given)", owner, name,
               count == 0 ? "no arguments" : "exactly one argument", given);
    }
  } else if (args.keywords() > 0) {
    vm.Throw(Error::kTypeError, "wrapper {}() takes no keyword arguments", name);
  } else {
    vm.Throw(Error::kTypeError, "{}expected {} argument{}, got {}",
             style == Style::kUnpacked ? " " : "", count, count == 1 ? "" : "s", given);
  }
  return false;
}

bool IsSequence(Value v) {
  return Is(v, Type::kString) || Is(v, Type::kBytes) || Is(v, Type::kByteArray) ||
         Is(v, Type::kList) || Is(v, Type::kTuple) || Is(v, Type::kArray);
}

// Whether the type of `self` alone, as its special method, knows what to do with the other.
bool Knows(Operator op, bool reflected, Value self, Value other) {
  if (IsInt(self)) return IsInt(other);
  if (Plain(self).IsFloat()) return IsInt(other) || Plain(other).IsFloat();
  if (op == Operator::kMod && reflected)
    return other.IsObject() && self.object()->type == other.object()->type;
  return true;
}

Value ArithmeticOf(Vm& vm, Args& args, Operator op, bool reflected, bool in_place) {
  const bool repeat = op == Operator::kMul && IsSequence(args[0]);
  if (!Takes(vm, args, 1, repeat ? Style::kUnpacked : Style::kSlot)) return Value();
  if (repeat && !IsInt(args[1])) {
    const Value times = ToInteger(vm, args[1]);
    if (times.empty()) return times;
    args.args[1] = times;
  }
  if (!Knows(op, reflected, args[0], args[1])) return vm.not_implemented;
  bool handled = false;
  const Value result =
      vm.BinaryPlain(static_cast<int>(op), args[reflected], args[!reflected], in_place, &handled);
  if (handled || vm.failed()) return result;
  if (op != Operator::kAdd || !IsSequence(args[0])) return vm.not_implemented;
  return vm.Throw(Error::kTypeError, "can only concatenate {0} (not \"{1}\") to {0}",
                  vm.classes[static_cast<int>(args[0].object()->type)]->name->view(),
                  vm.TypeName(args[1]));
}
template <Operator op, bool reflected, bool in_place = false>
Value Arithmetic(Vm& vm, Args& args) {
  return ArithmeticOf(vm, args, op, reflected, in_place);
}

// pow() with two or three arguments.
Value PowerOf(Vm& vm, Args& args, bool reflected) {
  if (args.count == 3 && args.keywords() == 0 && !args[2].IsNone()) {
    if (IsComplex(args[0])) return vm.Raise(Error::kValueError, "complex modulo");
    const Value base = args[reflected], exponent = args[!reflected];
    if (IsInt(base) && IsInt(exponent) && IsInt(args[2])) {
      if (IntCompare(args[2], Value::SmallInt(0)) == 0)
        return vm.Raise(Error::kValueError, "pow() 3rd argument cannot be 0");
      return IntPow(vm, Plain(base), Plain(exponent), Plain(args[2]));
    }
    if (IsInt(args[0])) return vm.not_implemented;
    return vm.Raise(Error::kTypeError,
                    "pow() 3rd argument not allowed unless all arguments are integers");
  }
  if (args.keywords() == 0 && (args.count < 2 || args.count > 3))
    return vm.Throw(Error::kTypeError, " expected at {} {} argument{}, got {}",
                    args.count < 2 ? "least" : "most", args.count < 2 ? 1 : 2,
                    args.count < 2 ? "" : "s", static_cast<int64_t>(args.count) - 1);
  Args two = {args.args, std::min<uint32_t>(args.count, 2), args.names};
  return ArithmeticOf(vm, two, Operator::kPow, reflected, false);
}
Value Power(Vm& vm, Args& args) {
  return PowerOf(vm, args, false);
}
Value ReflectedPower(Vm& vm, Args& args) {
  return PowerOf(vm, args, true);
}

Value ComparisonOf(Vm& vm, Args& args, Operator op) {
  if (!Takes(vm, args, 1)) return Value();
  if (!Knows(op, false, args[0], args[1]) ||
      (Is(args[0], Type::kBytes) && !Is(args[1], Type::kBytes)))
    return vm.not_implemented;
  return vm.ComparePlain(static_cast<int>(op), args[0], args[1]);
}
template <Operator op>
Value Comparison(Vm& vm, Args& args) {
  return ComparisonOf(vm, args, op);
}

Value SignOf(Vm& vm, Args& args, Operator op) {
  if (!Takes(vm, args, 0)) return Value();
  if (Is(args[0], Type::kBigInt) && op == Operator::kPositive)
    return IntBinary(vm, static_cast<int>(Operator::kAdd), args[0], Value::SmallInt(0));
  return vm.UnaryPlain(static_cast<int>(op), args[0]);
}
template <Operator op>
Value Sign(Vm& vm, Args& args) {
  return SignOf(vm, args, op);
}

Value DivModOf(Vm& vm, Args& args, bool reflected) {
  if (!Takes(vm, args, 1)) return Value();
  if (!Knows(Operator::kFloorDiv, reflected, args[0], args[1])) return vm.not_implemented;
  if (Plain(args[0]).IsFloat()) {
    double by;
    if (AsDouble(args[!reflected], &by) && by == 0)
      return vm.Raise(Error::kZeroDivisionError, "float divmod()");
  }
  Value pair[2];
  bool handled = false;
  const Operator ops[] = {Operator::kFloorDiv, Operator::kMod};
  for (int i = 0; i < 2; ++i) {
    pair[i] = vm.BinaryPlain(static_cast<int>(ops[i]), args[reflected], args[!reflected], false,
                             &handled);
    if (!handled && !vm.failed()) return vm.not_implemented;
    if (pair[i].empty()) return Value();
  }
  return vm.NewTuple(pair, 2);
}
Value DivMod(Vm& vm, Args& args) {
  return DivModOf(vm, args, false);
}
Value ReflectedDivMod(Vm& vm, Args& args) {
  return DivModOf(vm, args, true);
}

Value Absolute(Vm& vm, Args& args) {
  if (!Takes(vm, args, 0)) return Value();
  double d;
  if (AsDouble(args[0], &d)) return Value::Float(d < 0 ? -d : d == 0 ? 0.0 : d);
  return IntBinary(vm,
                   static_cast<int>(IntCompare(args[0], Value::SmallInt(0)) < 0 ? Operator::kMul
                                                                                : Operator::kAdd),
                   args[0], Value::SmallInt(IntCompare(args[0], Value::SmallInt(0)) < 0 ? -1 : 0));
}
Value ToInt(Vm& vm, Args& args) {
  if (!Takes(vm, args, 0)) return Value();
  const Value make = vm.classes[kIntClass]->maker;
  const Value plain = Plain(args[0]);
  return Is(plain, Type::kBigInt)
             ? IntBinary(vm, static_cast<int>(Operator::kAdd), plain, Value::SmallInt(0))
             : vm.Call(make, &plain, 1);
}
Value Truncated(Vm& vm, Args& args) {
  return Takes(vm, args, 0, Style::kMethod) ? ToInt(vm, args) : Value();
}
Value ToFloat(Vm& vm, Args& args) {
  const Value plain = Plain(args[0]);
  return Takes(vm, args, 0) ? vm.Call(vm.classes[kFloatClass]->maker, &plain, 1) : Value();
}
Value TruthOf(Vm& vm, Args& args) {
  bool truth;
  return Takes(vm, args, 0) && vm.TruthPlain(args[0], &truth) ? Value::Bool(truth) : Value();
}

Value Len(Vm& vm, Args& args) {
  int64_t length;
  return Takes(vm, args, 0) && vm.LengthPlain(args[0], &length) ? vm.NewInt(length) : Value();
}
Value GetItem(Vm& vm, Args& args) {
  const bool method = Is(args[0], Type::kList) || Is(args[0], Type::kDict);
  return Takes(vm, args, 1, method ? Style::kMethod : Style::kSlot)
             ? vm.IndexPlain(args[0], args[1])
             : Value();
}
Value SetItem(Vm& vm, Args& args) {
  return Takes(vm, args, 2, Style::kUnpacked) && vm.SetIndexPlain(args[0], args[1], args[2])
             ? Value::None()
             : Value();
}
Value DelItem(Vm& vm, Args& args) {
  return Takes(vm, args, 1) && vm.DeleteIndexPlain(args[0], args[1]) ? Value::None() : Value();
}
Value Has(Vm& vm, Args& args) {
  bool contains;
  const bool method = Is(args[0], Type::kDict) || IsSet(args[0]);
  return Takes(vm, args, 1, method ? Style::kMethod : Style::kSlot) &&
                 vm.ContainsPlain(args[0], args[1], &contains)
             ? Value::Bool(contains)
             : Value();
}
Value Iter(Vm& vm, Args& args) {
  return Takes(vm, args, 0) ? vm.IteratePlain(args[0]) : Value();
}
Value NextOf(Vm& vm, Args& args) {
  if (!Takes(vm, args, 0)) return Value();
  String* name = vm.Intern("next");
  Value* next = name == nullptr ? nullptr : vm.DictFindString(vm.builtins, name);
  return next == nullptr ? Value() : vm.Call(*next, args.args, 1);
}

Value ReprOf(Vm& vm, Args& args) {
  std::string out;
  return Takes(vm, args, 0) && vm.ReprPlain(Plain(args[0]), &out) ? vm.NewString(out) : Value();
}
Value ObjectRepr(Vm& vm, Args& args) {
  if (!Takes(vm, args, 0)) return Value();
  if (!HasMethods(args[0]) || Is(args[0], Type::kClass)) return ReprOf(vm, args);
  Class* cls = vm.ClassOf(args[0]);
  return vm.NewString(fmt::format(
      "<{}{}{} object at {:#x}>", cls->module_name == nullptr ? "" : cls->module_name->view(),
      cls->module_name == nullptr ? "" : ".", cls->qualified_name->view(), vm.Identity(args[0])));
}
Value StrOf(Vm& vm, Args& args) {
  std::string out;
  return Takes(vm, args, 0) && vm.StrPlain(args[0], &out) ? vm.NewString(out) : Value();
}
Value FormatOf(Vm& vm, Args& args) {
  std::string out;
  if (!Takes(vm, args, 1, Style::kMethod)) return Value();
  if (!IsStr(args[1]))
    return vm.Throw(Error::kTypeError, "__format__() argument must be str, not {}",
                    args[1].IsNone() ? "None" : vm.TypeName(args[1]));
  const bool plain = HasMethods(args[0]) && !Derived(args[0]);
  if (plain && !Text(args[1]).empty())
    return vm.Throw(Error::kTypeError, "unsupported format string passed to {}.__format__",
                    vm.TypeName(args[0]));
  const bool ok = Text(args[1]).empty() ? vm.Str(args[0], &out)
                                        : vm.FormatPlain(Plain(args[0]), Text(args[1]), &out);
  return ok ? vm.NewString(out) : Value();
}
Value HashOf(Vm& vm, Args& args) {
  if (!Takes(vm, args, 0)) return Value();
  int64_t hash;
  return vm.HashVisiblePlain(Plain(args[0]), &hash) ? vm.NewInt(hash) : Value();
}
// Identity, and what else the type says is another's business.
Value ObjectEqual(Vm& vm, Args& args) {
  if (!Takes(vm, args, 1)) return Value();
  return args[0] == args[1] ? Value::Bool(true) : vm.not_implemented;
}
Value ObjectNotEqual(Vm& vm, Args& args) {
  if (!Takes(vm, args, 1)) return Value();
  bool found;
  const Value result = vm.CallSpecial(args[0], vm.names.eq, &args.args[1], 1, &found);
  bool truth;
  if (!found) return args[0] == args[1] ? Value::Bool(false) : vm.not_implemented;
  if (result.empty() || result == vm.not_implemented) return result;
  return vm.Truth(result, &truth) ? Value::Bool(!truth) : Value();
}
Value NotImplemented(Vm& vm, Args& args) {
  return Takes(vm, args, 1) ? vm.not_implemented : Value();
}

String* NameOf(Vm& vm, Value v) {
  if (IsStr(v)) return vm.Intern(Text(v));
  vm.Throw(Error::kTypeError, "attribute name must be string, not '{}'", vm.TypeName(v));
  return nullptr;
}
Value GetAttributeOf(Vm& vm, Args& args) {
  String* name = Takes(vm, args, 1) ? NameOf(vm, args[1]) : nullptr;
  if (name == nullptr) return Value();
  const Value found = vm.GetPlain(args[0], name);
  return !found.empty() || vm.failed() ? found : vm.NoAttribute(args[0], name);
}
Value SetAttributeOf(Vm& vm, Args& args) {
  String* name = Takes(vm, args, 2, Style::kUnpacked) ? NameOf(vm, args[1]) : nullptr;
  return name != nullptr && vm.SetPlain(args[0], name, args[2]) ? Value::None() : Value();
}
Value DeleteAttributeOf(Vm& vm, Args& args) {
  String* name = Takes(vm, args, 1) ? NameOf(vm, args[1]) : nullptr;
  return name != nullptr && vm.SetPlain(args[0], name, Value()) ? Value::None() : Value();
}

Value CallOf(Vm& vm, Args& args) {
  if (!Is(args[0], Type::kClass))
    return vm.Call(args[0], args.args + 1, args.count - 1, args.names);
  return CallConstruct(vm, As<Class>(args[0]), args.args + 1, args.count - 1, args.names);
}
Value GetOf(Vm& vm, Args& args) {
  if (args.count < 2) return vm.Raise(Error::kTypeError, "__get__(None, None) is invalid");
  const Value self = args[1].IsNone() ? Value() : args[1];
  Class* cls = args.count > 2 && Is(args[2], Type::kClass) ? As<Class>(args[2])
               : self.empty()                              ? nullptr
                                                           : vm.ClassOf(self);
  if (cls == nullptr) return vm.Raise(Error::kTypeError, "__get__(None, None) is invalid");
  if (args.count > 2 && args[1].IsNone() && cls == vm.classes[kNoneClass])
    return vm.Bind(args[0], Value::None(), cls);
  return vm.Bind(args[0], self, cls);
}
Value SetOf(Vm& vm, Args& args) {
  bool handled;
  return Takes(vm, args, 2) && SetDescriptor(vm, args[0], args[1], args[2], &handled)
             ? Value::None()
             : Value();
}
Value DeleteOf(Vm& vm, Args& args) {
  bool handled;
  return Takes(vm, args, 1) && SetDescriptor(vm, args[0], args[1], Value(), &handled)
             ? Value::None()
             : Value();
}

Value AliasOf(Vm& vm, Args& args) {
  if (!Takes(vm, args, 1, Style::kMethod)) return Value();
  const Value parts = Is(args[1], Type::kTuple) ? args[1] : vm.NewTuple(&args.args[1], 1);
  return parts.empty() ? parts : vm.NewAlias(AliasKind::kGeneric, args[0], parts);
}

struct WrapperRow {
  const char* name;
  Builtin function;
  const char* types;  // letters of ClassOfLetter
};

#define BINARY(name, op, types, reflected_types)                     \
  {"__" name "__", Arithmetic<Operator::op, false>, types}, {        \
    "__r" name "__", Arithmetic<Operator::op, true>, reflected_types \
  }

constexpr WrapperRow kRows[] = {
    BINARY("add", kAdd, "ifcsbyltDa", "ifc"),
    BINARY("sub", kSub, "ifcSFkw", "ifcSFkw"),
    BINARY("mul", kMul, "ifcsbylta", "ifcsbylta"),
    BINARY("truediv", kDiv, "ifc", "ifc"),
    BINARY("floordiv", kFloorDiv, "if", "if"),
    BINARY("mod", kMod, "ifsby", "ifsby"),
    {"__pow__", Power, "ifc"},
    {"__rpow__", ReflectedPower, "ifc"},
    BINARY("and", kAnd, "iBSFkw", "iBSFkw"),
    BINARY("or", kOr, "iBSFkwdTA", "iBSFkwdTA"),
    BINARY("xor", kXor, "iBSFkw", "iBSFkw"),
    BINARY("lshift", kLeft, "i", "i"),
    BINARY("rshift", kRight, "i", "i"),
    {"__iadd__", Arithmetic<Operator::kAdd, false, true>, "lya"},
    {"__imul__", Arithmetic<Operator::kMul, false, true>, "lya"},
    {"__iand__", Arithmetic<Operator::kAnd, false, true>, "S"},
    {"__ior__", Arithmetic<Operator::kOr, false, true>, "Sd"},
    {"__isub__", Arithmetic<Operator::kSub, false, true>, "S"},
    {"__ixor__", Arithmetic<Operator::kXor, false, true>, "S"},
    {"__divmod__", DivMod, "if"},
    {"__rdivmod__", ReflectedDivMod, "if"},
    {"__eq__", Comparison<Operator::kEqual>, "ifcsbyltdSFrkwMaLx"},
    {"__ne__", Comparison<Operator::kNotEqual>, "ifcsbyltdSFrkwMaLx"},
    {"__lt__", Comparison<Operator::kLess>, "ifsbyltdSFkwaL"},
    {"__le__", Comparison<Operator::kLessEqual>, "ifsbyltdSFkwaL"},
    {"__gt__", Comparison<Operator::kGreater>, "ifsbyltdSFkwaL"},
    {"__ge__", Comparison<Operator::kGreaterEqual>, "ifsbyltdSFkwaL"},
    {"__eq__", ObjectEqual, "o"},
    {"__ne__", ObjectNotEqual, "o"},
    {"__lt__", NotImplemented, "o"},
    {"__le__", NotImplemented, "o"},
    {"__gt__", NotImplemented, "o"},
    {"__ge__", NotImplemented, "o"},
    {"__hash__", HashOf, "oifcsbtFr"},
    {"__neg__", Sign<Operator::kNegative>, "ifc"},
    {"__pos__", Sign<Operator::kPositive>, "ifc"},
    {"__invert__", Sign<Operator::kInvert>, "i"},
    {"__abs__", Absolute, "if"},
    {"__int__", ToInt, "if"},
    {"__index__", ToInt, "i"},
    {"__trunc__", Truncated, "if"},
    {"__float__", ToFloat, "if"},
    {"__bool__", TruthOf, "ifcrN"},
    {"__len__", Len, "sbyltdSFrkvwMpa"},
    {"__getitem__", GetItem, "sbyltdrMpa"},
    {"__setitem__", SetItem, "yldMa"},
    {"__delitem__", DelItem, "ylda"},
    {"__contains__", Has, "sbyltdSFrkwpa"},
    {"__iter__", Iter, "sbyltdSFrkvwpgIMa"},
    {"__next__", NextOf, "gI"},
    {"__repr__", ReprOf, "ifcsbyltdSFrkvwpTNeEMa"},
    {"__repr__", ObjectRepr, "o"},
    {"__str__", StrOf, "osE"},
    {"__format__", FormatOf, "oifcs"},
    {"__getattribute__", GetAttributeOf, "oT"},
    {"__setattr__", SetAttributeOf, "oT"},
    {"__delattr__", DeleteAttributeOf, "oT"},
    {"__call__", CallOf, "mnxT"},
    {"__get__", GetOf, "mPCGuZ"},
    {"__set__", SetOf, "Pu"},
    {"__delete__", DeleteOf, "Pu"},
};
#undef BINARY

Class* ClassOfLetter(Vm& vm, char letter) {
  const auto of = [&](Type type) { return vm.classes[static_cast<int>(type)]; };
  switch (letter) {
    case 'o':
      return vm.classes[kObjectClass];
    case 'i':
      return vm.classes[kIntClass];
    case 'B':
      return vm.classes[kBoolClass];
    case 'f':
      return vm.classes[kFloatClass];
    case 'T':
      return vm.classes[kTypeClass];
    case 'N':
      return vm.classes[kNoneClass];
    case 'E':
      return vm.errors[static_cast<int>(Error::kBaseException)];
    case 'L':
      return of(Type::kSlice);
    case 'k':
      return vm.classes[kKeysClass];
    case 'v':
      return vm.classes[kValuesClass];
    case 'w':
      return vm.classes[kItemsClass];
    case 'p':
      return vm.classes[kProxyClass];
    case 'C':
      return vm.classes[kClassMethodClass];
    case 'G':
      return vm.classes[kStaticMethodClass];
    case 's':
      return of(Type::kString);
    case 'b':
      return of(Type::kBytes);
    case 'l':
      return of(Type::kList);
    case 't':
      return of(Type::kTuple);
    case 'd':
      return of(Type::kDict);
    case 'S':
      return of(Type::kSet);
    case 'F':
      return of(Type::kFrozenSet);
    case 'r':
      return of(Type::kRange);
    case 'm':
      return of(Type::kFunction);
    case 'n':
      return of(Type::kNative);
    case 'x':
      return of(Type::kBoundMethod);
    case 'g':
      return of(Type::kGenerator);
    case 'I':
      return of(Type::kIterator);
    case 'P':
      return of(Type::kDescriptor);
    case 'u':
      return of(Type::kMember);
    case 'A':
      return of(Type::kAlias);
    case 'Z':
      return vm.classes[kMethodDescriptorClass];
    case 'e':
      return of(Type::kEllipsis);
    case 'c':
      return of(Type::kComplex);
    case 'y':
      return of(Type::kByteArray);
    case 'M':
      return of(Type::kMemoryView);
    case 'a':
      return of(Type::kArray);
    default:
      return nullptr;
  }
}

constexpr Type kGeneric[] = {Type::kList, Type::kTuple, Type::kDict, Type::kSet, Type::kFrozenSet};
constexpr Type kUnhashable[] = {Type::kList, Type::kDict, Type::kSet};

}  // namespace

bool AddWrapper(Vm& vm, Class* cls, const char* name, Builtin function) {
  const Value native = vm.NewNative(name, function, nullptr, true);
  if (native.empty() || !vm.DictSetText(cls->attributes, name, native)) return false;
  As<Native>(native)->owner = cls;
  As<Native>(native)->wrapper = true;
  return true;
}

bool InstallWrappers(Vm& vm) {
  for (const WrapperRow& row : kRows)
    for (const char* letter = row.types; *letter != '\0'; ++letter) {
      Class* cls = ClassOfLetter(vm, *letter);
      if (cls != nullptr && !AddWrapper(vm, cls, row.name, row.function)) return false;
    }
  for (Type type : kGeneric)
    if (!AddClassMethod(vm, vm.classes[static_cast<int>(type)], "__class_getitem__", AliasOf))
      return false;
  for (Type type : kUnhashable)
    if (!vm.DictSetText(vm.classes[static_cast<int>(type)]->attributes, "__hash__", Value::None()))
      return false;
  return true;
}

}  // namespace ferry::vm
