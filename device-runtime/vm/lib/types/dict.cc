#include <algorithm>

#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {
namespace {

Dict* Self(Args& args) {
  return As<Dict>(args[0]);
}

// One of the pairs that dict() and update() take.
bool AddPair(Vm& vm, Dict* dict, Value item, int64_t number) {
  Roots roots(vm);
  roots.Add(item);
  const bool sequence = Is(item, Type::kList) || Is(item, Type::kTuple);
  const Value list = sequence ? item : roots.Add(vm.ToList(item));
  if (list.empty()) {
    if (vm.TakePending(Error::kTypeError))
      vm.Throw(Error::kTypeError,
               "cannot convert dictionary update sequence element #{} to a sequence", number);
    return false;
  }
  const bool tuple = Is(list, Type::kTuple);
  const uint32_t size = tuple ? As<Tuple>(list)->size : As<List>(list)->size;
  const Value* items = tuple ? As<Tuple>(list)->items : As<List>(list)->items;
  if (size == 2) return vm.DictSet(dict, items[0], items[1]);
  vm.Throw(Error::kValueError,
           "dictionary update sequence element #{} has length {}; 2 is required", number, size);
  return false;
}

// What has keys() and [] instead of pairs.
bool AddMapping(Vm& vm, Dict* dict, Value mapping, Value keys_method) {
  Roots roots(vm);
  roots.Add(keys_method);
  const Value keys = roots.Add(vm.Call(keys_method, nullptr, 0));
  const Value iterator = keys.empty() ? keys : roots.Add(vm.Iterate(keys));
  if (iterator.empty()) return false;
  for (Value key; !(key = vm.Next(iterator)).empty();) {
    Roots inner(vm);
    inner.Add(key);
    const Value value = inner.Add(vm.Index(mapping, key));
    if (value.empty() || !vm.DictSet(dict, key, value)) return false;
  }
  return !vm.failed();
}

// dict(other), dict(pairs), dict(a=1), and the same for update().
bool Fill(Vm& vm, Dict* dict, Args& args, uint32_t first) {
  if (args.count > first + 1) {
    vm.Throw(Error::kTypeError, "{} expected at most 1 argument, got {}",
             first == 0 ? "dict" : "update", args.count - first);
    return false;
  }
  if (args.count == first + 1) {
    const Value from = args[first];
    const bool plain = Is(from, Type::kDict) &&
                       (!Derived(from) || vm.FindSpecial(vm.ClassOf(from), vm.names.iter).empty());
    const bool pairs = IsExact(from, Type::kList) || IsExact(from, Type::kTuple);
    const Value keys = plain || pairs ? Value() : vm.GetAttributeOrEmpty(from, vm.names.keys);
    if (vm.failed() && !vm.TakePending(Error::kAttributeError)) return false;
    if (plain) {
      if (!vm.DictMerge(dict, from, false)) return false;
    } else if (!keys.empty()) {
      if (!AddMapping(vm, dict, from, keys)) return false;
    } else {
      Roots roots(vm);
      const Value iterator = roots.Add(vm.Iterate(from));
      if (iterator.empty()) return false;
      int64_t number = 0;
      for (Value item; !(item = vm.Next(iterator)).empty();)
        if (!AddPair(vm, dict, item, number++)) return false;
      if (vm.failed()) return false;
    }
  }
  for (uint32_t k = 0; k < args.keywords(); ++k)
    if (!vm.DictSet(dict, args.names->items[k], args.args[args.count + k])) return false;
  return true;
}

Value New(Vm& vm, Args& args) {
  Roots roots(vm);
  const Value dict = roots.Add(vm.NewDict());
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
  // An empty dict asks for no hash, as in CPython.
  const Value v = Self(args)->count == 0 ? Value() : vm.DictRemove(Self(args), args[1]);
  if (!v.empty() || vm.failed()) return v;
  return args.count > 2 ? args[2] : vm.RaiseValue(Error::kKeyError, args[1]);
}

Value PopItem(Vm& vm, Args& args) {
  if (!Expect(vm, args, "popitem", 1, 1)) return Value();
  Dict* dict = Self(args);
  for (uint32_t i = dict->used; i-- > 0;) {
    if (dict->entries[i].key.empty()) continue;
    Value pair[] = {dict->entries[i].key, dict->entries[i].value};
    if (!vm.ChargeSteps((dict->used - i) / 16)) return Value();
    vm.DictRemove(dict, pair[0]);
    // The next one finds its entry at the end.
    while (dict->used > 0 && dict->entries[dict->used - 1].key.empty()) --dict->used;
    dict->fill = std::min(dict->fill, dict->used);
    return vm.NewTuple(pair, 2);
  }
  return vm.Raise(Error::kKeyError, "popitem(): dictionary is empty");
}

Value Keys(Vm& vm, Args& args) {
  return Expect(vm, args, "keys", 1, 1) ? vm.NewView(ViewKind::kKeys, args[0]) : Value();
}
Value Values(Vm& vm, Args& args) {
  return Expect(vm, args, "values", 1, 1) ? vm.NewView(ViewKind::kValues, args[0]) : Value();
}
Value Items(Vm& vm, Args& args) {
  return Expect(vm, args, "items", 1, 1) ? vm.NewView(ViewKind::kItems, args[0]) : Value();
}

Value Clear(Vm& vm, Args& args) {
  if (!Expect(vm, args, "clear", 1, 1)) return Value();
  vm.DictClear(Self(args));
  return Value::None();
}

Value Copy(Vm& vm, Args& args) {
  if (!Expect(vm, args, "copy", 1, 1)) return Value();
  Value dict = vm.NewDict();
  return !dict.empty() && vm.DictMerge(As<Dict>(dict), args[0], false) ? dict : Value();
}

// A class method: what is made is of that class.
Value FromKeys(Vm& vm, Args& args) {
  if (!Expect(vm, args, "fromkeys", 2, 3)) return Value();
  Roots roots(vm);
  const Value dict = roots.Add(vm.Call(args[0], nullptr, 0));
  const Value list = dict.empty() ? dict : roots.Add(vm.ToList(args[1]));
  if (list.empty()) return Value();
  for (uint32_t i = 0; i < As<List>(list)->size; ++i)
    if (!vm.SetIndex(dict, As<List>(list)->items[i], args.count > 2 ? args[2] : Value::None()))
      return Value();
  return dict;
}

constexpr BuiltinRow kRows[] = {
    {"__new__", New, true},     {"clear", Clear},         {"copy", Copy},    {"get", Get},
    {"items", Items},           {"keys", Keys},           {"pop", Pop},      {"popitem", PopItem},
    {"setdefault", SetDefault}, {"update", Update, true}, {"values", Values}};

}  // namespace

bool PopFirst(Vm& vm, Dict* dict, Value* key, Value* value) {
  for (uint32_t i = dict->fill; i < dict->used; ++i) {
    if (dict->entries[i].key.empty()) continue;
    *key = dict->entries[i].key;
    *value = dict->entries[i].value;
    if (vm.DictRemove(dict, *key).empty()) return false;
    if (dict->used > i) dict->fill = i + 1;
    return true;
  }
  return false;
}

bool InstallDict(Vm& vm) {
  Class* cls = vm.classes[static_cast<int>(Type::kDict)];
  if (!AddMethods(vm, cls, kRows)) return false;
  Value function = vm.NewNative("fromkeys", FromKeys, nullptr, true);
  if (!function.empty()) As<Native>(function)->owner = vm.classes[kTypeClass];
  Value wrapped =
      function.empty() ? function : vm.NewDescriptor(DescriptorKind::kClassMethod, function);
  return !wrapped.empty() && vm.DictSetText(cls->attributes, "fromkeys", wrapped);
}

}  // namespace ferry::vm
