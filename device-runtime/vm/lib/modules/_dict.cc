// _dict: methods of defaultdict and OrderedDict, which lib/py/_collections.py derives from dict.
#include <cstddef>

#include "device-runtime/vm/lib/method.h"

namespace ferry::vm {
namespace {

// defaultdict.__init__(self, default_factory=None, /, *args, **kwargs)
Value Init(Vm& vm, Args& args) {
  const Value factory = args.count > 1 ? args[1] : Value::None();
  if (!factory.IsNone() && !IsCallable(vm, factory))
    return vm.Raise(Error::kTypeError, "first argument must be callable or None");
  if (!vm.SetAttribute(args[0], vm.names.default_factory, factory)) return Value();
  if (args.count < 3 && args.keywords() == 0) return Value::None();
  const uint32_t skipped = args.count > 1;
  args.args[skipped] = args[0];
  Args rest{args.args + skipped, args.count - skipped, args.names};
  const Value init = vm.FindInClass(vm.classes[static_cast<int>(Type::kDict)], vm.names.init);
  return As<Native>(init)->builtin(vm, rest);
}

Value Missing(Vm& vm, Args& args) {
  if (!ExpectMethod(vm, args, "__missing__", 1, 1)) return Value();
  const Value factory = vm.GetAttribute(args[0], vm.names.default_factory);
  if (factory.empty()) return factory;
  if (factory.IsNone()) return vm.RaiseValue(Error::kKeyError, args[1]);
  Roots roots(vm);
  const Value made = roots.Add(vm.Call(factory, nullptr, 0));
  return !made.empty() && vm.SetIndex(args[0], args[1], made) ? made : Value();
}

// Makes the key, which is not there, the first one.
bool SetFirst(Vm& vm, Dict* dict, Value key, Value value) {
  Roots roots(vm);
  const Value rest = roots.Add(vm.NewDict());
  if (rest.empty() || !vm.DictMerge(As<Dict>(rest), Value::Of(dict), false)) return false;
  vm.DictClear(dict);
  return vm.DictSet(dict, key, value) && vm.DictMerge(dict, rest, false);
}

// OrderedDict.move_to_end(self, key, last=True)
Value MoveToEnd(Vm& vm, Args& args) {
  Value bound[2];
  static constexpr const char* kNames[] = {"key", "last"};
  bool last = true;
  if (!BindMethod(vm, args, "move_to_end", kNames, 1, 2, bound) ||
      (!bound[1].empty() && !vm.Truth(bound[1], &last)))
    return Value();
  auto* dict = As<Dict>(args[0]);
  bool failed = false;
  const Value* found = vm.DictFind(dict, bound[0], &failed);
  if (found == nullptr) return failed ? Value() : vm.RaiseValue(Error::kKeyError, bound[0]);
  // The key that is there, which may be another object.
  const Value key = (found - 1)[0], value = *found;
  static_assert(offsetof(Entry, value) == sizeof(Value) && offsetof(Entry, key) == 0);
  Roots roots(vm);
  roots.Add(key);
  roots.Add(value);
  if (vm.DictRemove(dict, key).empty()) return Value();
  const bool moved = last ? vm.DictSet(dict, key, value) : SetFirst(vm, dict, key, value);
  return moved ? Value::None() : Value();
}

constexpr BuiltinRow kRows[] = {
    {"__init__", Init, true}, {"__missing__", Missing, true}, {"move_to_end", MoveToEnd, true}};

}  // namespace

Value MakeDictModule(Vm& vm) {
  const Value module = MakeModule(vm, "_dict", {});
  for (const BuiltinRow& row : kRows) {
    const Value native =
        module.empty() ? module : vm.NewNative(row.name, row.function, nullptr, row.collects);
    if (native.empty()) return native;
    As<Native>(native)->owner = vm.classes[static_cast<int>(Type::kDict)];
    if (!vm.SetVariable(As<Module>(module), row.name, native)) return Value();
  }
  return module;
}

}  // namespace ferry::vm
