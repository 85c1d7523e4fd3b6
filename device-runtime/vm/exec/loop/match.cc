// What patterns ask of their subjects. Source: PEP 634.
#include "device-runtime/vm/exec/loop/helper.h"

namespace ferry::vm {
namespace {

// Classes that count as sequences (1) or mappings (2) say so in an attribute; collections.abc sets
// it.
int MatchKind(Vm& vm, Value v) {
  String* const name = vm.Intern("__match_kind__");
  if (name == nullptr) return 0;
  int64_t kind = 0;
  const Value found = vm.FindInClass(vm.ClassOf(v), name);
  return !found.empty() && SmallOf(found, &kind) ? static_cast<int>(kind) : 0;
}

// Classes whose one positional pattern is matched by the subject itself.
bool MatchesItself(Vm& vm, Class* cls) {
  const int ids[] = {static_cast<int>(Type::kString),
                     static_cast<int>(Type::kBytes),
                     static_cast<int>(Type::kList),
                     static_cast<int>(Type::kTuple),
                     static_cast<int>(Type::kDict),
                     static_cast<int>(Type::kSet),
                     static_cast<int>(Type::kFrozenSet),
                     kIntClass,
                     kFloatClass};
  for (int id : ids)
    if (vm.IsSubclass(cls, vm.classes[id])) return true;
  const std::string_view name = cls->name->view();
  return cls->builtin && name == "bytearray";
}

// The attribute of the subject, into `out`; *absent when it has none. false: failed.
bool Attribute(Vm& vm, Value subject, Value name, Value* out, bool* absent) {
  *absent = false;
  *out = vm.GetAttribute(subject, As<String>(name));
  if (!out->empty()) return true;
  if (!vm.TakePending(Error::kAttributeError)) return false;
  *absent = true;
  return true;
}

// __match_args__ of the class as a tuple; the empty tuple when it has none.
Value MatchArgs(Vm& vm, Class* cls) {
  String* const name = vm.Intern("__match_args__");
  if (name == nullptr) return Value();
  Value found = vm.GetAttributeOrEmpty(Value::Of(cls), name);
  if (found.empty()) return vm.failed() ? found : vm.empty_tuple;
  if (!Is(found, Type::kTuple))
    return vm.Throw(Error::kTypeError, "{}.__match_args__ must be a tuple (got {})",
                    cls->name->view(), vm.TypeName(found));
  return found;
}

// The names of positional patterns, appended to `names`; false: failed.
bool PositionalNames(Vm& vm, Class* cls, Value args, int64_t count, std::vector<Value>* names) {
  auto* tuple = As<Tuple>(args);
  if (count > tuple->size) {
    vm.Throw(Error::kTypeError, "{}() accepts {} positional sub-pattern{} ({} given)",
             cls->name->view(), tuple->size, tuple->size == 1 ? "" : "s", count);
    return false;
  }
  for (int64_t i = 0; i < count; ++i) {
    if (!IsStr(tuple->items[i])) {
      vm.Throw(Error::kTypeError, "__match_args__ elements must be strings (got {})",
               vm.TypeName(tuple->items[i]));
      return false;
    }
    for (const Value& earlier : *names) {
      if (Text(earlier) == Text(tuple->items[i])) {
        vm.Throw(Error::kTypeError, "{}() got multiple sub-patterns for attribute '{}'",
                 cls->name->view(), Text(earlier));
        return false;
      }
    }
    names->push_back(tuple->items[i]);
  }
  return true;
}

}  // namespace

static bool IsDeque(Vm& vm, Value v) {
  if (!Is(v, Type::kRecord)) return false;
  const Class* cls = vm.ClassOf(v);
  while (!cls->builtin && cls->mro_count > 1) cls = cls->mro[1];
  return cls->module_name != nullptr && cls->module_name->view() == "collections" &&
         cls->name->view() == "deque";
}

Value MatchSequenceHelper(Vm& vm, Value* args) {
  const Value v = args[0];
  const bool is = Is(v, Type::kList) || Is(v, Type::kTuple) || Is(v, Type::kRange) ||
                  Is(v, Type::kArray) || Is(v, Type::kMemoryView) || IsDeque(vm, v);
  return Value::Bool(is || (v.IsObject() && MatchKind(vm, v) == 1));
}

Value MatchMappingHelper(Vm& vm, Value* args) {
  const Value v = args[0];
  return Value::Bool(
      Is(v, Type::kDict) ||
      (v.IsObject() && (MatchKind(vm, v) == 2 || vm.ClassOf(v)->name->view() == "mappingproxy")));
}

Value MatchLengthHelper(Vm& vm, Value* args) {
  int64_t length;
  return vm.Length(args[0], &length) ? vm.NewInt(length) : Value();
}

Value MatchKeysHelper(Vm& vm, Value* args) {
  if (!Is(args[1], Type::kTuple)) return BadOperands(vm);
  auto* keys = As<Tuple>(args[1]);
  Roots roots(vm);
  const Value seen = roots.Add(vm.NewDict(Type::kSet));
  const Value values = roots.Add(vm.NewTuple(nullptr, keys->size));
  const Value missing = roots.Add(vm.NewCell(Value()));  // a value that no mapping holds
  if (seen.empty() || values.empty() || missing.empty()) return Value();
  const bool plain = Is(args[0], Type::kDict);
  String* const name = vm.Intern("get");
  if (name == nullptr) return Value();
  const Value get = plain ? Value() : roots.Add(vm.GetAttribute(args[0], name));
  if (!plain && get.empty()) return get;
  for (uint32_t i = 0; i < keys->size; ++i) {
    const Value key = keys->items[i];
    bool repeated = false, failed = false;
    repeated = vm.DictFind(As<Dict>(seen), key, &failed) != nullptr;
    if (failed || !vm.DictSet(As<Dict>(seen), key, Value::None())) return Value();
    if (repeated) {
      std::string text;
      return vm.Repr(key, &text)
                 ? vm.Throw(Error::kValueError, "mapping pattern checks duplicate key ({})", text)
                 : Value();
    }
    Value found;
    if (plain) {
      Value* place = vm.DictFind(As<Dict>(args[0]), key, &failed);
      if (failed) return Value();
      if (place == nullptr) return Value::None();
      found = *place;
    } else {
      const Value arguments[] = {key, missing};
      found = vm.Call(get, arguments, 2);
      if (found.empty()) return found;
      if (found == missing) return Value::None();
    }
    As<Tuple>(values)->items[i] = found;
  }
  return values;
}

Value MatchRestHelper(Vm& vm, Value* args) {
  if (!Is(args[1], Type::kTuple)) return BadOperands(vm);
  Roots roots(vm);
  const Value rest = roots.Add(vm.NewDict());
  if (rest.empty() || !vm.DictMerge(As<Dict>(rest), args[0], false)) return Value();
  auto* keys = As<Tuple>(args[1]);
  for (uint32_t i = 0; i < keys->size; ++i) {
    vm.DictRemove(As<Dict>(rest), keys->items[i]);
    if (vm.failed()) return Value();
  }
  return rest;
}

Value MatchClassHelper(Vm& vm, Value* args) {
  bool fine = Is(args[3], Type::kTuple) && args[2].IsSmallInt();
  for (uint32_t i = 0; fine && i < As<Tuple>(args[3])->size; ++i)
    fine = IsStr(As<Tuple>(args[3])->items[i]);
  if (!fine) return BadOperands(vm);
  if (!Is(args[1], Type::kClass))
    return vm.Raise(Error::kTypeError, "called match pattern must be a type");
  auto* cls = As<Class>(args[1]);
  const Value subject = args[0];
  bool match = false;
  match = vm.IsInstance(subject, cls);
  if (!match) return Value::None();
  const int64_t positional = args[2].AsSmallInt();
  auto* keywords = As<Tuple>(args[3]);
  Roots roots(vm);
  std::vector<Value> names;
  bool itself = false;
  if (positional > 0) {
    const Value match_args = roots.Add(MatchArgs(vm, cls));
    if (match_args.empty()) return match_args;
    itself = As<Tuple>(match_args)->size == 0 && MatchesItself(vm, cls);
    if (itself && positional > 1)
      return vm.Throw(Error::kTypeError, "{}() accepts 1 positional sub-pattern ({} given)",
                      cls->name->view(), positional);
    if (!itself && !PositionalNames(vm, cls, match_args, positional, &names)) return Value();
  }
  for (uint32_t i = 0; i < keywords->size; ++i) {
    for (const Value& earlier : names) {
      if (Text(earlier) == Text(keywords->items[i]))
        return vm.Throw(Error::kTypeError, "{}() got multiple sub-patterns for attribute '{}'",
                        cls->name->view(), Text(earlier));
    }
    names.push_back(keywords->items[i]);
  }
  const Value out = roots.Add(vm.NewTuple(nullptr, names.size() + itself));
  if (out.empty()) return out;
  uint32_t at = 0;
  if (itself) As<Tuple>(out)->items[at++] = subject;
  for (const Value& name : names) {
    String* const text = vm.Intern(Text(name));
    bool absent;
    Value v;
    if (text == nullptr || !Attribute(vm, subject, Value::Of(text), &v, &absent)) return Value();
    if (absent) return Value::None();
    As<Tuple>(out)->items[at++] = v;
  }
  return out;
}

}  // namespace ferry::vm
