#include "device-runtime/vm/exec/slow.h"
#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {
namespace {

Dict* Self(Args& args) {
  return As<Dict>(args[0]);
}
Value Done(bool ok) {
  return ok ? Value::None() : Value();
}

Value Add(Vm& vm, Args& args) {
  return Done(Expect(vm, args, "add", 2, 2) && vm.DictSet(Self(args), args[1], Value::None()));
}
Value Discard(Vm& vm, Args& args) {
  if (!Expect(vm, args, "discard", 2, 2)) return Value();
  vm.DictRemove(Self(args), args[1]);
  return Done(!vm.failed());
}
Value Remove(Vm& vm, Args& args) {
  if (!Expect(vm, args, "remove", 2, 2)) return Value();
  if (!vm.DictRemove(Self(args), args[1]).empty()) return Value::None();
  return vm.failed() ? Value() : vm.RaiseValue(Error::kKeyError, args[1]);
}
Value Pop(Vm& vm, Args& args) {
  Dict* set = Self(args);
  for (uint32_t i = 0; i < set->used; ++i) {
    Value key = set->entries[i].key;
    if (key.empty()) continue;
    if (!vm.ChargeSteps(i / 16)) return Value();
    vm.DictRemove(set, key);
    return key;
  }
  return vm.Raise(Error::kKeyError, "pop from an empty set");
}
Value Clear(Vm& vm, Args& args) {
  vm.DictClear(Self(args));
  return Value::None();
}
Value Update(Vm& vm, Args& args) {
  for (uint32_t i = 1; i < args.count; ++i)
    if (!SetUpdate(vm, Self(args), args[i])) return Value();
  return Value::None();
}

Value AsSet(Vm& vm, Value v) {
  if (IsSet(v)) return v;
  Value set = vm.NewDict(Type::kSet);
  return !set.empty() && SetUpdate(vm, As<Dict>(set), v) ? set : Value();
}
Value Combine(Vm& vm, Args& args, Operator op) {
  Value result = args[0];
  for (uint32_t i = 1; i < args.count && !result.empty(); ++i) {
    Value other = AsSet(vm, args[i]);
    result = other.empty() ? other : vm.Binary(static_cast<int>(op), result, other);
  }
  return args.count == 1 ? vm.Binary(static_cast<int>(Operator::kOr), result, result) : result;
}
Value Union(Vm& vm, Args& args) {
  return Combine(vm, args, Operator::kOr);
}
Value Intersection(Vm& vm, Args& args) {
  return Combine(vm, args, Operator::kAnd);
}
Value Difference(Vm& vm, Args& args) {
  return Combine(vm, args, Operator::kSub);
}
Value SymmetricDifference(Vm& vm, Args& args) {
  return Combine(vm, args, Operator::kXor);
}
Value Copy(Vm& vm, Args& args) {
  return vm.Binary(static_cast<int>(Operator::kOr), args[0], args[0]);
}

Value Relation(Vm& vm, Args& args, const char* name, Operator op) {
  if (!Expect(vm, args, name, 2, 2)) return Value();
  Value other = AsSet(vm, args[1]);
  return other.empty() ? other : vm.Compare(static_cast<int>(op), args[0], other);
}
Value IsSubset(Vm& vm, Args& args) {
  return Relation(vm, args, "issubset", Operator::kLessEqual);
}
Value IsSuperset(Vm& vm, Args& args) {
  return Relation(vm, args, "issuperset", Operator::kGreaterEqual);
}
Value IsDisjoint(Vm& vm, Args& args) {
  if (!Expect(vm, args, "isdisjoint", 2, 2)) return Value();
  Value both = Combine(vm, args, Operator::kAnd);
  return both.empty() ? both : Value::Bool(As<Dict>(both)->count == 0);
}

constexpr BuiltinRow kBoth[] = {{"copy", Copy},
                                {"difference", Difference},
                                {"intersection", Intersection},
                                {"isdisjoint", IsDisjoint},
                                {"issubset", IsSubset},
                                {"issuperset", IsSuperset},
                                {"symmetric_difference", SymmetricDifference},
                                {"union", Union}};
constexpr BuiltinRow kSetOnly[] = {{"add", Add}, {"clear", Clear},   {"discard", Discard},
                                   {"pop", Pop}, {"remove", Remove}, {"update", Update}};

}  // namespace

bool InstallSet(Vm& vm) {
  return AddMethods(vm, vm.classes[static_cast<int>(Type::kSet)], kBoth) &&
         AddMethods(vm, vm.classes[static_cast<int>(Type::kFrozenSet)], kBoth) &&
         AddMethods(vm, vm.classes[static_cast<int>(Type::kSet)], kSetOnly);
}

}  // namespace ferry::vm
