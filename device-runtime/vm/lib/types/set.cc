#include "device-runtime/vm/exec/collections/set.h"
#include "device-runtime/vm/exec/state.h"
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
  return Done(Expect(vm, args, "add", 2, 2) && vm.SetAdd(Self(args), args[1]));
}

// An unhashable set is looked for as the frozenset of its items.
bool Take(Vm& vm, Args& args, bool* there) {
  *there = vm.SetRemove(Self(args), args[1]);
  if (*there || !vm.failed()) return true;
  if (!Is(args[1], Type::kSet) || !vm.TakePending(Error::kTypeError)) return false;
  Roots roots(vm);
  const Value frozen = roots.Add(vm.NewDict(Type::kFrozenSet));
  if (frozen.empty() || !SetUpdate(vm, As<Dict>(frozen), args[1])) return false;
  *there = vm.SetRemove(Self(args), frozen);
  return !vm.failed();
}
Value Discard(Vm& vm, Args& args) {
  bool there;
  return Done(Expect(vm, args, "discard", 2, 2) && Take(vm, args, &there));
}
Value Remove(Vm& vm, Args& args) {
  bool there;
  if (!Expect(vm, args, "remove", 2, 2) || !Take(vm, args, &there)) return Value();
  return there ? Value::None() : vm.RaiseValue(Error::kKeyError, args[1]);
}
Value Pop(Vm& vm, Args& args) {
  return Expect(vm, args, "pop", 1, 1) ? vm.SetPop(Self(args)) : Value();
}
Value Clear(Vm& vm, Args& args) {
  if (!Expect(vm, args, "clear", 1, 1)) return Value();
  vm.DictClear(Self(args));
  return Value::None();
}

// No keywords; any number of iterables.
bool Iterables(Vm& vm, Args& args, const char* name) {
  return Expect(vm, args, name, 1, UINT32_MAX);
}
Value Update(Vm& vm, Args& args) {
  if (!Iterables(vm, args, "update")) return Value();
  for (uint32_t i = 1; i < args.count; ++i)
    if (!SetUpdate(vm, Self(args), args[i])) return Value();
  return Value::None();
}
Value CopyOf(Vm& vm, Value set) {
  const Value out = vm.NewDict(set.object()->type);
  return !out.empty() && SetUpdate(vm, As<Dict>(out), set) ? out : Value();
}
Value Copy(Vm& vm, Args& args) {
  if (!Expect(vm, args, "copy", 1, 1)) return Value();
  return IsExact(args[0], Type::kFrozenSet) ? args[0] : CopyOf(vm, args[0]);
}
Value Union(Vm& vm, Args& args) {
  if (!Iterables(vm, args, "union")) return Value();
  Roots roots(vm);
  const Value out = roots.Add(CopyOf(vm, args[0]));
  for (uint32_t i = 1; !out.empty() && i < args.count; ++i)
    if (!SetUpdate(vm, As<Dict>(out), args[i])) return Value();
  return out;
}
Value IntersectionOf(Vm& vm, Args& args) {
  if (args.count == 1) return CopyOf(vm, args[0]);
  Roots roots(vm);
  Value result = args[0];
  for (uint32_t i = 1; i < args.count && !result.empty(); ++i)
    result = roots.Add(SetIntersection(vm, result, args[i]));
  return result;
}
Value Intersection(Vm& vm, Args& args) {
  return Iterables(vm, args, "intersection") ? IntersectionOf(vm, args) : Value();
}
Value IntersectionUpdate(Vm& vm, Args& args) {
  if (!Iterables(vm, args, "intersection_update")) return Value();
  const Value both = IntersectionOf(vm, args);
  if (both.empty()) return both;
  SetSwap(Self(args), As<Dict>(both));
  return Value::None();
}
Value Difference(Vm& vm, Args& args) {
  if (!Iterables(vm, args, "difference")) return Value();
  if (args.count == 1) return CopyOf(vm, args[0]);
  Roots roots(vm);
  const Value out = roots.Add(SetDifference(vm, args[0], args[1]));
  for (uint32_t i = 2; !out.empty() && i < args.count; ++i)
    if (!SetSubtract(vm, As<Dict>(out), args[i])) return Value();
  return out;
}
Value DifferenceUpdate(Vm& vm, Args& args) {
  if (!Iterables(vm, args, "difference_update")) return Value();
  for (uint32_t i = 1; i < args.count; ++i)
    if (!SetSubtract(vm, Self(args), args[i])) return Value();
  return Value::None();
}
Value SymmetricDifference(Vm& vm, Args& args) {
  if (!Expect(vm, args, "symmetric_difference", 2, 2)) return Value();
  Roots roots(vm);
  const Value out = roots.Add(vm.NewDict(args[0].object()->type));
  return !out.empty() && SetUpdate(vm, As<Dict>(out), args[1]) &&
                 SetToggle(vm, As<Dict>(out), args[0])
             ? out
             : Value();
}
Value SymmetricUpdate(Vm& vm, Args& args) {
  return Done(Expect(vm, args, "symmetric_difference_update", 2, 2) &&
              SetToggle(vm, Self(args), args[1]));
}

Value AsSet(Vm& vm, Value v) {
  if (IsSet(v)) return v;
  Roots roots(vm);
  const Value set = roots.Add(vm.NewDict(Type::kSet));
  return !set.empty() && SetUpdate(vm, As<Dict>(set), v) ? set : Value();
}
Value Relation(Vm& vm, Args& args, const char* name, Operator op) {
  if (!Expect(vm, args, name, 2, 2)) return Value();
  Roots roots(vm);
  const Value other = roots.Add(AsSet(vm, args[1]));
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
  if (IsSet(args[1]) && !HasMethods(args[1])) {
    auto *small = As<Dict>(args[1]), *large = As<Dict>(args[0]);
    if (small->count > large->count) std::swap(small, large);
    for (uint32_t i = 0; i < small->used; ++i) {  // == of an item may change the set
      const Value key = small->entries[i].key;
      bool failed = false;
      if ((i & 15) == 15 && !vm.ChargeSteps(1)) return Value();
      if (key.empty()) continue;
      if (vm.DictFind(large, key, &failed) != nullptr) return Value::Bool(false);
      if (failed) return Value();
    }
    return Value::Bool(true);
  }
  const Value both = SetIntersection(vm, args[0], args[1]);
  return both.empty() ? both : Value::Bool(As<Dict>(both)->count == 0);
}

constexpr BuiltinRow kBoth[] = {{"copy", Copy, true},
                                {"difference", Difference, true},
                                {"intersection", Intersection, true},
                                {"isdisjoint", IsDisjoint, true},
                                {"issubset", IsSubset, true},
                                {"issuperset", IsSuperset, true},
                                {"symmetric_difference", SymmetricDifference, true},
                                {"union", Union, true}};
constexpr BuiltinRow kSetOnly[] = {{"add", Add, true},
                                   {"clear", Clear},
                                   {"difference_update", DifferenceUpdate, true},
                                   {"discard", Discard, true},
                                   {"intersection_update", IntersectionUpdate, true},
                                   {"pop", Pop},
                                   {"remove", Remove, true},
                                   {"symmetric_difference_update", SymmetricUpdate, true},
                                   {"update", Update, true}};

}  // namespace

bool InstallSet(Vm& vm) {
  return AddMethods(vm, vm.classes[static_cast<int>(Type::kSet)], kBoth) &&
         AddMethods(vm, vm.classes[static_cast<int>(Type::kFrozenSet)], kBoth) &&
         AddMethods(vm, vm.classes[static_cast<int>(Type::kSet)], kSetOnly);
}

}  // namespace ferry::vm
