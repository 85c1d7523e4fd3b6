#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {
namespace {

Dict* Self(Args& args) {
  return As<Dict>(args[0]);
}

// dict(other), dict(pairs), dict(a=1), and the same for update().
bool Fill(Vm& vm, Dict* dict, Args& args, uint32_t first) {
  if (args.count > first + 1) {
    vm.Throw(Error::kTypeError, "expected at most 1 argument, got {}", args.count - first);
    return false;
  }
  if (args.count == first + 1) {
    if (Is(args[first], Type::kDict)) {
      if (!vm.DictMerge(dict, args[first], false)) return false;
    } else {
      Roots roots(vm);
      const Value iterator = roots.Add(vm.Iterate(args[first]));
      if (iterator.empty()) return false;
      for (Value item; !(item = vm.Next(iterator)).empty();) {
        Roots inner(vm);
        inner.Add(item);
        Value pair[2];
        if (!vm.Unpack(item, pair, 2) || !vm.DictSet(dict, pair[0], pair[1])) return false;
      }
      if (vm.failed()) return false;
    }
  }
  for (uint32_t k = 0; k < args.keywords(); ++k)
    if (!vm.DictSet(dict, args.names->items[k], args.args[args.count + k])) return false;
  return true;
}

Value New(Vm& vm, Args& args) {
  Value dict = vm.NewDict();
  return !dict.empty() && Fill(vm, As<Dict>(dict), args, 0) ? dict : Value();
}
Value Update(Vm& vm, Args& args) {
  return Fill(vm, Self(args), args, 1) ? Value::None() : Value();
}

Value Get(Vm& vm, Args& args) {
  if (!Expect(vm, args, "get", 2, 3)) return Value();
  bool failed = false;
  Value* found = vm.DictFind(Self(args), args[1], &failed);
  if (failed) return Value();
  return found != nullptr ? *found : args.count > 2 ? args[2] : Value::None();
}

Value SetDefault(Vm& vm, Args& args) {
  if (!Expect(vm, args, "setdefault", 2, 3)) return Value();
  bool failed = false;
  Value* found = vm.DictFind(Self(args), args[1], &failed);
  if (failed) return Value();
  if (found != nullptr) return *found;
  Value v = args.count > 2 ? args[2] : Value::None();
  return vm.DictSet(Self(args), args[1], v) ? v : Value();
}

Value Pop(Vm& vm, Args& args) {
  if (!Expect(vm, args, "pop", 2, 3)) return Value();
  Value v = vm.DictRemove(Self(args), args[1]);
  if (!v.empty() || vm.failed()) return v;
  return args.count > 2 ? args[2] : vm.RaiseValue(Error::kKeyError, args[1]);
}

Value PopItem(Vm& vm, Args& args) {
  Dict* dict = Self(args);
  for (uint32_t i = dict->used; i-- > 0;) {
    if (dict->entries[i].key.empty()) continue;
    Value pair[] = {dict->entries[i].key, dict->entries[i].value};
    if (!vm.ChargeSteps((dict->used - i) / 16)) return Value();
    vm.DictRemove(dict, pair[0]);
    return vm.NewTuple(pair, 2);
  }
  return vm.Raise(Error::kKeyError, "popitem(): dictionary is empty");
}

// Views are lists of the moment: what scripts do with them (loop, len, in, list, sorted) is the
// same.
Value View(Vm& vm, Args& args, IteratorKind kind) {
  if (!Expect(vm, args, "view", 1, 1)) return Value();
  Dict* dict = Self(args);
  if (!vm.ChargeSteps(dict->count / 16)) return Value();
  Value list = vm.NewList(nullptr, dict->count);
  for (uint32_t i = 0; !list.empty() && i < dict->used; ++i) {
    const Entry& entry = dict->entries[i];
    if (entry.key.empty()) continue;
    Value pair[] = {entry.key, entry.value};
    Value item = kind == IteratorKind::kDictKeys     ? entry.key
                 : kind == IteratorKind::kDictValues ? entry.value
                                                     : vm.NewTuple(pair, 2);
    if (item.empty() || !vm.Append(As<List>(list), item)) return Value();
  }
  return list;
}
Value Keys(Vm& vm, Args& args) {
  return View(vm, args, IteratorKind::kDictKeys);
}
Value Values(Vm& vm, Args& args) {
  return View(vm, args, IteratorKind::kDictValues);
}
Value Items(Vm& vm, Args& args) {
  return View(vm, args, IteratorKind::kDictItems);
}

Value Clear(Vm& vm, Args& args) {
  vm.DictClear(Self(args));
  return Value::None();
}

Value Copy(Vm& vm, Args& args) {
  Value dict = vm.NewDict();
  return !dict.empty() && vm.DictMerge(As<Dict>(dict), args[0], false) ? dict : Value();
}

Value FromKeys(Vm& vm, Args& args) {
  if (!Expect(vm, args, "fromkeys", 1, 2)) return Value();
  Value dict = vm.NewDict(), list = vm.ToList(args[0]);
  if (dict.empty() || list.empty()) return Value();
  for (uint32_t i = 0; i < As<List>(list)->size; ++i)
    if (!vm.DictSet(As<Dict>(dict), As<List>(list)->items[i],
                    args.count > 1 ? args[1] : Value::None()))
      return Value();
  return dict;
}

constexpr BuiltinRow kRows[] = {
    {"__new__", New},           {"clear", Clear},   {"copy", Copy},    {"get", Get},
    {"items", Items},           {"keys", Keys},     {"pop", Pop},      {"popitem", PopItem},
    {"setdefault", SetDefault}, {"update", Update}, {"values", Values}};

}  // namespace

bool InstallDict(Vm& vm) {
  Class* cls = vm.classes[static_cast<int>(Type::kDict)];
  if (!AddMethods(vm, cls, kRows)) return false;
  Value function = vm.NewNative("fromkeys", FromKeys, nullptr, false);
  Value wrapped = function.empty() ? function : vm.NewDescriptor(1, function);
  return !wrapped.empty() && vm.DictSetText(cls->attributes, "fromkeys", wrapped);
}

}  // namespace ferry::vm
