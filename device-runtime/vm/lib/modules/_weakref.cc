// The native part of weakref (py/weakref.py): ref and what collects.
#include <algorithm>

#include "device-runtime/vm/exec/heap/weak.h"
#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {
namespace {

constexpr size_t kShared = 64;
constexpr int64_t kCollectSteps = 100000;  // of a collection that a script asks for
extern const RecordType kReference;

// Which objects CPython makes weak references to.
bool Takes(Vm& vm, Value v) {
  if (!v.IsObject()) return false;
  switch (v.object()->type) {
    case Type::kSet:
    case Type::kFrozenSet:
    case Type::kFunction:
    case Type::kNative:
    case Type::kBoundMethod:
    case Type::kClass:
    case Type::kModule:
    case Type::kGenerator:
    case Type::kArray:
    case Type::kMemoryView:
    case Type::kRecord:
      return true;
    case Type::kBigInt:
    case Type::kTuple:
    case Type::kBytes:
      return false;
    default:
      return vm.ClassOf(v)->takes_weak;
  }
}

Value Target(Record* reference) {
  Object* const object = WeakTarget(reference);
  return object == nullptr ? Value::None() : Value::Of(object);
}

// ref(object, callback=None).
Value NewReference(Vm& vm, Args& args) {
  if (!Expect(vm, args, "ref", 1, 2)) return Value();
  if (!Takes(vm, args[0]))
    return vm.Throw(Error::kTypeError, "cannot create weak reference to '{}' object",
                    vm.TypeName(args[0]));
  const Value back = args.count > 1 ? args[1] : Value::None();
  // Without a callback all are one; of many only those made last are looked at.
  for (size_t i = vm.weak.size(), end = i - std::min(i, kShared); back.IsNone() && i > end; --i) {
    Record* one = vm.weak[i - 1];
    if (WeakTarget(one) == args[0].object() && one->values[kWeakCallback].IsNone() &&
        one->derived == 0)
      return Value::Of(one);
  }
  Class* cls = ClassOfRecord(vm, kReference);
  if (cls == nullptr) return Value();
  const Value made = vm.NewRecord(cls, 3);
  if (made.empty()) return made;
  const auto place = static_cast<int64_t>(reinterpret_cast<uintptr_t>(args[0].object()));
  As<Record>(made)->values[kWeakTarget] = Value::SmallInt(place);
  As<Record>(made)->values[kWeakCallback] = back;
  return vm.TrackWeak(As<Record>(made)) ? made : Value();
}

Value CallReference(Vm& vm, Args& args) {
  return Expect(vm, args, "__call__", 1, 1) ? Target(As<Record>(args[0])) : Value();
}

Value HashReference(Vm& vm, Args& args) {
  auto* reference = As<Record>(args[0]);
  if (!reference->values[kWeakHash].IsNone()) return reference->values[kWeakHash];
  if (WeakTarget(reference) == nullptr)
    return vm.Raise(Error::kTypeError, "weak object has gone away");
  int64_t hash;
  Roots roots(vm);
  if (!vm.HashVisible(roots.Add(Target(reference)), &hash)) return Value();
  return As<Record>(args[0])->values[kWeakHash] = vm.NewInt(hash);
}

Value EqualReference(Vm& vm, Args& args) {
  Record* other = args.count == 2 ? AsWeak(vm, args[1]) : nullptr;
  if (other == nullptr) return vm.not_implemented;
  auto* reference = As<Record>(args[0]);
  if (WeakTarget(reference) == nullptr || WeakTarget(other) == nullptr)
    return Value::Bool(reference == other);
  bool equal;
  Roots roots(vm);
  const Value one = roots.Add(Target(reference)), two = roots.Add(Target(other));
  return vm.Equal(one, two, &equal) ? Value::Bool(equal) : Value();
}

Value ReprReference(Vm& vm, Args& args) {
  const Value self = args[0];
  Object* const target = WeakTarget(As<Record>(self));
  if (target == nullptr)
    return vm.NewString(fmt::format("<weakref at {:#x}; dead>", vm.Identity(self)));
  Roots roots(vm);
  const Value to = roots.Add(Value::Of(target));
  const Value name = vm.GetAttributeOrEmpty(to, vm.names.name);
  if (name.empty() && vm.failed() && !vm.TakePending(Error::kAttributeError)) return Value();
  return vm.NewString(fmt::format(
      "<weakref at {:#x}; to '{}' at {:#x}{}>", vm.Identity(self), vm.TypeName(to), vm.Identity(to),
      !name.empty() && IsStr(name) ? fmt::format(" ({})", Text(name)) : std::string()));
}

Value Callback(Vm& vm, Args& args) {
  Record* reference = args.count == 1 ? AsWeak(vm, args[0]) : nullptr;
  return reference == nullptr ? Value::None() : reference->values[kWeakCallback];
}

// references(object): the living weak references to it.
Value References(Vm& vm, Args& args) {
  if (!Expect(vm, args, "references", 1, 1)) return Value();
  const Value list = vm.NewList(nullptr, 0);
  for (size_t i = 0; !list.empty() && i < vm.weak.size(); ++i)
    if (args[0].IsObject() && WeakTarget(vm.weak[i]) == args[0].object() &&
        !vm.Append(As<List>(list), Value::Of(vm.weak[i])))
      return Value();
  return vm.ChargeSteps(static_cast<int64_t>(vm.weak.size() / 16)) ? list : Value();
}

// collect(): a full collection, now.
Value CollectAll(Vm& vm, Args& args) {
  if (!Expect(vm, args, "collect", 0, 0) || !vm.ChargeSteps(kCollectSteps)) return Value();
  vm.CollectNow(args.args + args.count + args.keywords());
  return vm.failed() ? Value() : Value::SmallInt(0);
}

constexpr BuiltinRow kRows[] = {{"__call__", CallReference},
                                {"__eq__", EqualReference, true},
                                {"__hash__", HashReference, true},
                                {"__new__", NewReference, true},
                                {"__repr__", ReprReference, true}};
const RecordType kReference = {"weakref", "ReferenceType", kRows};

constexpr BuiltinRow kFunctions[] = {
    {"callback", Callback}, {"collect", CollectAll, true}, {"references", References}};

}  // namespace

Record* AsWeak(Vm& vm, Value v) {
  return AsRecord(vm, v, kReference);
}

Value MakeWeakref(Vm& vm) {
  const Value module = MakeModule(vm, "_weakref", kFunctions);
  Class* cls = module.empty() ? nullptr : ClassOfRecord(vm, kReference);
  if (cls == nullptr) return Value();
  cls->acceptable_base = true;
  return vm.SetVariable(As<Module>(module), "ReferenceType", Value::Of(cls)) ? module : Value();
}

}  // namespace ferry::vm
