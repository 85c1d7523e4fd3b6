// New classes: the order of bases, the layout of instances, what __slots__, __set_name__ and
// __init_subclass__ ask for.
#include "device-runtime/vm/exec/classes/make_class.h"

#include <algorithm>

#include "device-runtime/vm/exec/classes/bases.h"
#include "device-runtime/vm/exec/classes/shape.h"
#include "device-runtime/vm/exec/classes/special.h"
#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {
namespace {

constexpr uint32_t kMaxMembers = 1000;

bool IsIdentifier(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
    if (!letter && c != '_' && c < 0x80 && (i == 0 || c < '0' || c > '9')) return false;
  }
  return !text.empty();
}

// "__x" of class _A is "_A__x".
std::string Mangled(std::string_view cls, std::string_view name) {
  while (!cls.empty() && cls[0] == '_') cls.remove_prefix(1);
  if (cls.empty() || !name.starts_with("__") || name.ends_with("__")) return std::string(name);
  return fmt::format("_{}{}", cls, name);
}

bool AddMember(Vm& vm, Class* cls, Value item) {
  const auto fail = [&](Error error, std::string_view text) {
    vm.Raise(error, text);
    return false;
  };
  if (!IsStr(item))
    return fail(Error::kTypeError,
                fmt::format("__slots__ items must be strings, not '{}'", vm.TypeName(item)));
  if (Text(item) == "__dict__") {
    if (cls->takes_dict)
      return fail(Error::kTypeError, "__dict__ slot disallowed: we already got one");
    cls->takes_dict = true;
    return true;
  }
  if (Text(item) == "__weakref__") {
    if (cls->takes_weak)
      return fail(Error::kTypeError,
                  "__weakref__ slot disallowed: either we already got one, or __itemsize__ != 0");
    return cls->takes_weak = true;
  }
  if (!IsIdentifier(Text(item))) return fail(Error::kTypeError, "__slots__ must be identifiers");
  String* name = vm.Intern(Mangled(cls->name->view(), Text(item)));
  if (name == nullptr) return false;
  if (vm.DictFindString(cls->attributes, name) != nullptr)
    return fail(Error::kValueError, fmt::format("{} in __slots__ conflicts with class variable",
                                                "'" + std::string(Text(item)) + "'"));
  if (cls->members >= kMaxMembers) return fail(Error::kValueError, "too many __slots__");
  auto* member = Cast<Member>(vm.heap.NewObject(Type::kMember, sizeof(Member)));
  if (member == nullptr) return !vm.OutOfMemory().empty();
  member->aux = cls->members++;
  member->owner = cls;
  member->name = name;
  return vm.DictSet(cls->attributes, Value::Of(name), Value::Of(member));
}

bool AddMembers(Vm& vm, Class* cls) {
  Value* slots = vm.DictFindString(cls->attributes, vm.names.slots);
  if (slots == nullptr) {
    cls->takes_dict = cls->takes_weak = true;
    return true;
  }
  if (cls->layout == Type::kBigInt || cls->layout == Type::kBytes || cls->layout == Type::kTuple ||
      cls->layout == Type::kClass) {
    int64_t length = 0;
    if (!IsStr(*slots) && !vm.Length(*slots, &length)) return false;
    if (length != 0 || IsStr(*slots)) {
      const Class* base = cls->mro[1];
      for (uint32_t i = 2; i < cls->mro_count && base->layout != cls->layout; ++i)
        base = cls->mro[i];
      vm.Throw(Error::kTypeError, "nonempty __slots__ not supported for subtype of '{}'",
               base->name->view());
      return false;
    }
    return true;
  }
  if (IsStr(*slots)) return AddMember(vm, cls, *slots);
  Roots roots(vm);
  const Value list = roots.Add(vm.ToList(*slots));
  if (list.empty()) return false;
  std::vector<Value> items(As<List>(list)->items, As<List>(list)->items + As<List>(list)->size);
  std::sort(items.begin(), items.end(), [](Value a, Value b) {  // as CPython lays them out
    return IsStr(a) && IsStr(b) && Text(a) < Text(b);
  });
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0 && IsStr(items[i]) && IsStr(items[i - 1]) && Text(items[i]) == Text(items[i - 1]) &&
        Text(items[i]) != "__dict__" && Text(items[i]) != "__weakref__")
      continue;
    if (!AddMember(vm, cls, items[i])) return false;
  }
  return true;
}

// __new__, __init_subclass__ and __class_getitem__ need no decorator; __eq__ takes __hash__ away.
bool Implied(Vm& vm, Dict* attributes) {
  const auto wrap = [&](String* name, DescriptorKind kind) {
    Value* found = vm.DictFindString(attributes, name);
    if (found == nullptr || !Is(*found, Type::kFunction)) return true;
    const Value wrapped = vm.NewDescriptor(kind, *found);
    return !wrapped.empty() && vm.DictSet(attributes, Value::Of(name), wrapped);
  };
  if (!wrap(vm.names.new_, DescriptorKind::kStaticMethod) ||
      !wrap(vm.names.init_subclass, DescriptorKind::kClassMethod) ||
      !wrap(vm.names.class_getitem, DescriptorKind::kClassMethod))
    return false;
  if (vm.DictFindString(attributes, vm.names.doc) == nullptr &&
      !vm.DictSet(attributes, Value::Of(vm.names.doc), Value::None()))
    return false;
  return vm.DictFindString(attributes, vm.names.eq) == nullptr ||
         vm.DictFindString(attributes, vm.names.hash) != nullptr ||
         vm.DictSet(attributes, Value::Of(vm.names.hash), Value::None());
}

bool TellNames(Vm& vm, Class* cls) {
  Roots roots(vm);
  std::vector<Value> all;
  for (uint32_t i = 0; i < cls->attributes->used; ++i) {
    if (cls->attributes->entries[i].key.empty()) continue;
    all.push_back(roots.Add(cls->attributes->entries[i].key));
    all.push_back(roots.Add(cls->attributes->entries[i].value));
  }
  for (size_t i = 0; i < all.size(); i += 2) {
    if (IsExact(all[i + 1], Type::kDescriptor)) {
      if (As<Descriptor>(all[i + 1])->kind() == DescriptorKind::kProperty &&
          As<Descriptor>(all[i + 1])->name.empty())
        As<Descriptor>(all[i + 1])->name = all[i];
      continue;
    }
    bool found = false;
    const Value args[] = {Value::Of(cls), all[i]};
    if (!all[i + 1].IsObject()) continue;
    const Value told = vm.CallSpecial(all[i + 1], vm.names.set_name, args, 2, &found);
    if (!found || !told.empty()) continue;
    if (vm.fatal.ok() && !vm.pending.empty()) {
      const Value cause = vm.pending;
      vm.pending = Value();
      std::string shown;
      vm.Repr(all[i], &shown);
      vm.Throw(Error::kRuntimeError, "Error calling __set_name__ on '{}' instance {} in '{}'",
               vm.TypeName(all[i + 1]), shown, cls->name->view());
      if (Is(vm.pending, Type::kException)) {
        As<Exception>(vm.pending)->cause = As<Exception>(vm.pending)->context = cause;
        As<Exception>(vm.pending)->suppress_context = true;
      }
    }
    return false;
  }
  return true;
}

bool InitSubclass(Vm& vm, Class* cls, Dict* keywords) {
  for (uint32_t i = 1; i < cls->mro_count; ++i) {
    Value* hook = vm.DictFindString(cls->mro[i]->attributes, vm.names.init_subclass);
    if (hook == nullptr) continue;
    Roots roots(vm);
    const Value bound = roots.Add(vm.Bind(*hook, Value(), cls));
    const Value none = roots.Add(vm.NewList(nullptr, 0));
    const Value dict = keywords == nullptr ? roots.Add(vm.NewDict()) : Value::Of(keywords);
    return !bound.empty() && !none.empty() && !dict.empty() &&
           !vm.CallSpread(bound, none, dict).empty();
  }
  return true;
}

Class* Allocate(Vm& vm, String* name, Dict* attributes, const Plan& plan) {
  auto* cls = Cast<Class>(vm.heap.NewObject(Type::kClass, sizeof(Class)));
  if (cls == nullptr) {
    vm.OutOfMemory();
    return nullptr;
  }
  cls->name = cls->qualified_name = name;
  cls->attributes = attributes;
  cls->bases = Value();
  cls->maker = Value();
  cls->layout = plan.solid->layout;
  cls->native_type = plan.solid->native_type;
  cls->members = plan.solid->members;
  cls->field_hint = 3;
  cls->acceptable_base = true;
  for (Class* base : plan.bases) {
    cls->takes_dict = cls->takes_dict || base->takes_dict;
    cls->takes_weak = cls->takes_weak || base->takes_weak;
  }
  cls->id = vm.NewId();
  cls->instance_id = vm.NewId();
  cls->mro = static_cast<Class**>(vm.heap.NewBuffer((plan.mro.size() + 1) * sizeof(Class*)));
  if (cls->mro == nullptr) {
    vm.OutOfMemory();
    return nullptr;
  }
  cls->mro_count = static_cast<uint32_t>(plan.mro.size()) + 1;
  cls->mro[0] = cls;
  for (size_t i = 0; i < plan.mro.size(); ++i) cls->mro[i + 1] = plan.mro[i];
  return cls;
}

// What the body's namespace says about the class itself.
bool TakeNames(Vm& vm, Class* cls) {
  Value* found = vm.DictFindString(cls->attributes, vm.names.qualname);
  if (found != nullptr) {
    if (!IsStr(*found)) {
      vm.Throw(Error::kTypeError, "type __qualname__ must be a str, not {}", vm.TypeName(*found));
      return false;
    }
    cls->qualified_name = As<String>(*found);
    vm.DictRemove(cls->attributes, Value::Of(vm.names.qualname));
  }
  found = vm.DictFindString(cls->attributes, vm.names.module);
  if (found == nullptr && !vm.frames.empty()) {
    if (!vm.DictSet(cls->attributes, Value::Of(vm.names.module),
                    Value::Of(vm.frames.back().code->module->name)))
      return false;
    found = vm.DictFindString(cls->attributes, vm.names.module);
  }
  if (found != nullptr && IsStr(*found)) cls->module_name = As<String>(*found);
  found = vm.DictFindString(cls->attributes, vm.names.classcell);
  if (found != nullptr) {
    if (Is(*found, Type::kCell)) As<Cell>(*found)->value = Value::Of(cls);
    vm.DictRemove(cls->attributes, Value::Of(vm.names.classcell));
  }
  return true;
}

}  // namespace

void UpdateHooks(Vm& vm, Class* cls) {
  cls->has_getattr = !vm.FindInClass(cls, vm.names.getattr).empty();
  cls->has_del = !vm.FindInClass(cls, vm.names.del).empty();
  cls->has_getattribute = !vm.FindSpecial(cls, vm.names.getattribute).empty();
  cls->has_setattr = !vm.FindSpecial(cls, vm.names.setattr).empty() ||
                     !vm.FindSpecial(cls, vm.names.delattr).empty();
}

void ClassChanged(Vm& vm, Class* cls) {
  RenewIds(vm, cls);
  for (Class* one : vm.script_classes)
    if (vm.IsSubclass(one, cls)) UpdateHooks(vm, one);
}

Value Vm::MakeClass(Class* meta, Value name, Value bases, Dict* attributes, Dict* keywords) {
  Plan plan;
  Roots roots(*this);
  roots.Add(bases);
  roots.Add(Value::Of(attributes));
  if (!PlanBases(*this, As<Tuple>(bases), &plan)) return Value();
  for (Class* base : plan.bases) {
    Class* other = ClassOf(Value::Of(base));
    if (IsSubclass(meta, other)) continue;
    if (!IsSubclass(other, meta))
      return Raise(Error::kTypeError,
                   "metaclass conflict: the metaclass of a derived class must be a (non-strict) "
                   "subclass of the metaclasses of all its bases");
    meta = other;
  }
  Class* cls = Allocate(*this, As<String>(name), attributes, plan);
  if (cls == nullptr) return Value();
  roots.Add(Value::Of(cls));
  script_classes.push_back(cls);
  cls->meta = meta == classes[kTypeClass] ? nullptr : meta;
  cls->bases = As<Tuple>(bases)->size > 0 ? bases : Value();
  if (!TakeNames(*this, cls) || !AddMembers(*this, cls) || !Implied(*this, attributes) ||
      !AskOrder(*this, cls))
    return Value();
  UpdateHooks(*this, cls);
  if (!TellNames(*this, cls) || !InitSubclass(*this, cls, keywords)) return Value();
  return Value::Of(cls);
}

}  // namespace ferry::vm
