// operator: the functions; itemgetter and its kin are in getter.cc.
#include "device-runtime/vm/exec/loop/quick.h"
#include "device-runtime/vm/lib/modules/operator/getter.h"
#include "device-runtime/vm/syntax/ast.h"

namespace ferry::vm {
namespace {

Value TwoOf(Vm& vm, Args& args, Operator op) {
  if (!ExpectOf(vm, args, 2)) return Value();
  Value result;
  return QuickNumber(op, args[0], args[1], &result)
             ? result
             : vm.Binary(static_cast<int>(op), args[0], args[1]);
}
template <Operator kOp>
Value Two(Vm& vm, Args& args) {
  return TwoOf(vm, args, kOp);
}
Value TwoInPlaceOf(Vm& vm, Args& args, Operator op) {
  return ExpectOf(vm, args, 2) ? vm.Binary(static_cast<int>(op), args[0], args[1], true) : Value();
}
template <Operator kOp>
Value TwoInPlace(Vm& vm, Args& args) {
  return TwoInPlaceOf(vm, args, kOp);
}
template <Operator kOp>
Value Order(Vm& vm, Args& args) {
  return ExpectOf(vm, args, 2) ? vm.Compare(static_cast<int>(kOp), args[0], args[1]) : Value();
}
template <Operator kOp>
Value One(Vm& vm, Args& args) {
  return ExpectOf(vm, args, 1) ? vm.Unary(static_cast<int>(kOp), args[0]) : Value();
}

Value Not(Vm& vm, Args& args) {
  bool truth;
  return ExpectOf(vm, args, 1) && vm.Truth(args[0], &truth) ? Value::Bool(!truth) : Value();
}
Value True(Vm& vm, Args& args) {
  bool truth;
  return ExpectOf(vm, args, 1) && vm.Truth(args[0], &truth) ? Value::Bool(truth) : Value();
}
Value Same(Vm& vm, Args& args) {
  return ExpectOf(vm, args, 2) ? Value::Bool(args[0] == args[1]) : Value();
}
Value NotSame(Vm& vm, Args& args) {
  return ExpectOf(vm, args, 2) ? Value::Bool(!(args[0] == args[1])) : Value();
}
Value Index(Vm& vm, Args& args) {
  return ExpectOf(vm, args, 1) ? ToInteger(vm, args[0]) : Value();
}
Value Absolute(Vm& vm, Args& args) {
  if (!ExpectOf(vm, args, 1)) return Value();
  Value* abs = vm.DictFindString(vm.builtins, vm.Intern("abs"));
  return abs == nullptr ? Value() : vm.Call(*abs, args.args, 1);
}

Value Contain(Vm& vm, Args& args) {
  bool contains;
  return ExpectOf(vm, args, 2) && vm.Contains(args[0], args[1], &contains) ? Value::Bool(contains)
                                                                           : Value();
}
Value GetItem(Vm& vm, Args& args) {
  return ExpectOf(vm, args, 2) ? vm.Index(args[0], args[1]) : Value();
}
Value SetItem(Vm& vm, Args& args) {
  return ExpectOf(vm, args, 3) && vm.SetIndex(args[0], args[1], args[2]) ? Value::None() : Value();
}
Value DelItem(Vm& vm, Args& args) {
  return ExpectOf(vm, args, 2) && vm.DeleteIndex(args[0], args[1]) ? Value::None() : Value();
}

bool IsSequence(Vm& vm, Value v) {
  return IsStr(v) || Is(v, Type::kBytes) || Is(v, Type::kList) || Is(v, Type::kTuple) ||
         (!Is(v, Type::kDict) && !vm.FindInClass(vm.ClassOf(v), vm.names.getitem).empty());
}
Value Concatenate(Vm& vm, Args& args, bool in_place) {
  if (!ExpectOf(vm, args, 2)) return Value();
  if (!IsSequence(vm, args[0]))
    return vm.Throw(Error::kTypeError, "'{}' object can't be concatenated", vm.TypeName(args[0]));
  return vm.Binary(static_cast<int>(Operator::kAdd), args[0], args[1], in_place);
}
Value Concat(Vm& vm, Args& args) {
  return Concatenate(vm, args, false);
}
Value IConcat(Vm& vm, Args& args) {
  return Concatenate(vm, args, true);
}

// How often args[1] is in args[0], or where first.
Value Search(Vm& vm, Args& args, bool count) {
  if (!ExpectOf(vm, args, 2)) return Value();
  Roots roots(vm);
  const Value iterator = vm.Iterate(args[0]);
  if (iterator.empty()) return iterator;
  roots.Add(iterator);
  int64_t at = 0, found = 0;
  for (Value item; !(item = vm.Next(iterator)).empty(); ++at) {
    bool equal;
    if (!vm.Equal(item, args[1], &equal)) return Value();
    if (equal && !count) return Value::SmallInt(at);
    found += equal;
  }
  if (vm.failed()) return Value();
  return count ? Value::SmallInt(found)
               : vm.Raise(Error::kValueError, "sequence.index(x): x not in sequence");
}
Value CountOf(Vm& vm, Args& args) {
  return Search(vm, args, true);
}
Value IndexOf(Vm& vm, Args& args) {
  return Search(vm, args, false);
}

Value LengthHint(Vm& vm, Args& args) {
  if (!Expect(vm, args, "length_hint", 1, 2)) return Value();
  if (args.count == 2 && !IsInt(args[1]))
    return vm.Throw(Error::kTypeError, "'{}' object cannot be interpreted as an integer",
                    vm.TypeName(args[1]));
  const Value fallback = args.count == 2 ? args[1] : Value::SmallInt(0);
  int64_t length;
  if (vm.Length(args[0], &length)) return vm.NewInt(length);
  if (!vm.TakePending(Error::kTypeError)) return Value();
  bool found;
  const Value hint = vm.CallSpecial(args[0], vm.Intern("__length_hint__"), nullptr, 0, &found);
  if (!found || hint == vm.not_implemented) return fallback;
  if (hint.empty()) return vm.TakePending(Error::kTypeError) ? fallback : Value();
  if (!IsInt(hint))
    return vm.Throw(Error::kTypeError, "__length_hint__ must be an integer, not {}",
                    vm.TypeName(hint));
  if (SmallOf(hint, &length) && length < 0)
    return vm.Raise(Error::kValueError, "__length_hint__() should return >= 0");
  return hint;
}

Value CallOf(Vm& vm, Args& args) {
  if (args.count == 0)
    return vm.Raise(Error::kTypeError, "call expected at least 1 argument, got 0");
  return vm.Call(args[0], args.args + 1, args.count - 1, args.names);
}

// The functions with two underscores each side, too, where the language has such a method.
constexpr BuiltinRow kRows[] = {{"abs", Absolute, true},
                                {"add", Two<Operator::kAdd>, true},
                                {"and_", Two<Operator::kAnd>, true},
                                {"call", CallOf, true},
                                {"concat", Concat, true},
                                {"contains", Contain, true},
                                {"countOf", CountOf, true},
                                {"delitem", DelItem, true},
                                {"eq", Order<Operator::kEqual>, true},
                                {"floordiv", Two<Operator::kFloorDiv>, true},
                                {"ge", Order<Operator::kGreaterEqual>, true},
                                {"getitem", GetItem, true},
                                {"gt", Order<Operator::kGreater>, true},
                                {"iadd", TwoInPlace<Operator::kAdd>, true},
                                {"iand", TwoInPlace<Operator::kAnd>, true},
                                {"iconcat", IConcat, true},
                                {"ifloordiv", TwoInPlace<Operator::kFloorDiv>, true},
                                {"ilshift", TwoInPlace<Operator::kLeft>, true},
                                {"imatmul", TwoInPlace<Operator::kMatMul>, true},
                                {"imod", TwoInPlace<Operator::kMod>, true},
                                {"imul", TwoInPlace<Operator::kMul>, true},
                                {"index", Index, true},
                                {"indexOf", IndexOf, true},
                                {"inv", One<Operator::kInvert>, true},
                                {"invert", One<Operator::kInvert>, true},
                                {"ior", TwoInPlace<Operator::kOr>, true},
                                {"ipow", TwoInPlace<Operator::kPow>, true},
                                {"irshift", TwoInPlace<Operator::kRight>, true},
                                {"is_", Same},
                                {"is_not", NotSame},
                                {"isub", TwoInPlace<Operator::kSub>, true},
                                {"itruediv", TwoInPlace<Operator::kDiv>, true},
                                {"ixor", TwoInPlace<Operator::kXor>, true},
                                {"le", Order<Operator::kLessEqual>, true},
                                {"length_hint", LengthHint, true},
                                {"lshift", Two<Operator::kLeft>, true},
                                {"lt", Order<Operator::kLess>, true},
                                {"matmul", Two<Operator::kMatMul>, true},
                                {"mod", Two<Operator::kMod>, true},
                                {"mul", Two<Operator::kMul>, true},
                                {"ne", Order<Operator::kNotEqual>, true},
                                {"neg", One<Operator::kNegative>, true},
                                {"not_", Not, true},
                                {"or_", Two<Operator::kOr>, true},
                                {"pos", One<Operator::kPositive>, true},
                                {"pow", Two<Operator::kPow>, true},
                                {"rshift", Two<Operator::kRight>, true},
                                {"setitem", SetItem, true},
                                {"sub", Two<Operator::kSub>, true},
                                {"truediv", Two<Operator::kDiv>, true},
                                {"truth", True, true},
                                {"xor", Two<Operator::kXor>, true}};

}  // namespace

Value MakeOperator(Vm& vm) {
  const Value module = MakeModule(vm, "operator", kRows);
  if (module.empty()) return module;
  for (const BuiltinRow& row : kRows) {
    std::string_view name = row.name;
    if (name == "truth" || name == "is_" || name == "is_not" || name == "countOf" ||
        name == "indexOf" || name == "length_hint")
      continue;
    if (name.ends_with('_')) name.remove_suffix(1);
    bool failed = false;
    String* text = vm.Intern(row.name);
    if (text == nullptr) return Value();
    const Value function =
        As<Module>(module)->slots[vm.VariableSlot(As<Module>(module), text, &failed)].value;
    if (failed || !vm.SetVariable(As<Module>(module), fmt::format("__{}__", name), function))
      return Value();
  }
  for (const RecordType* type : {&kAttrGetter, &kItemGetter, &kMethodCaller}) {
    Class* cls = ClassOfRecord(vm, *type);
    if (cls == nullptr || !vm.SetVariable(As<Module>(module), type->name, Value::Of(cls)))
      return Value();
  }
  return module;
}

}  // namespace ferry::vm
