// Attributes: the object's own, those of its class, hooks of scripts.
#include "device-runtime/vm/exec/classes/make_class.h"
#include "device-runtime/vm/exec/classes/shape.h"
#include "device-runtime/vm/exec/classes/special.h"
#include "device-runtime/vm/exec/failure/names.h"
#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

constexpr int64_t kChangeSteps = 8;  // of a class

// What instances, modules and functions hold themselves; empty when absent.
static Value OwnAttribute(Vm& vm, Value v, String* name) {
  switch (v.object()->type) {
    case Type::kModule: {
      auto* module = As<Module>(v);
      Value* slot = vm.DictFindString(module->index, name);
      return slot == nullptr ? Value() : module->slots[slot->AsSmallInt()].value;
    }
    case Type::kFunction: {
      Dict* attributes = As<Function>(v)->attributes;
      Value* found = attributes == nullptr ? nullptr : vm.DictFindString(attributes, name);
      return found == nullptr ? Value() : *found;
    }
    default: {
      Slots slots;
      return SlotsOf(v.object(), &slots) ? GetSlot(vm, slots, name) : Value();
    }
  }
}

// type.__getattribute__.
static Value GetOfClass(Vm& vm, Class* cls, String* name) {
  const Value self = Value::Of(cls);
  Class* meta = vm.ClassOf(self);
  const Value in_meta = vm.FindInClass(meta, name);
  if (vm.IsDataDescriptor(in_meta)) return vm.Bind(in_meta, self, meta);
  const Value special = SpecialAttribute(vm, self, name);
  if (!special.empty() || vm.failed()) return special;
  const Value found = vm.FindInClass(cls, name);
  if (!found.empty()) return vm.Bind(found, Value(), cls);
  return in_meta.empty() ? in_meta : vm.Bind(in_meta, self, meta);
}

static Value GetOfSuper(Vm& vm, Super* super, String* name) {
  if (name == vm.names.class_) return Value::Of(vm.classes[static_cast<int>(Type::kSuper)]);
  const bool of_class =
      Is(super->self, Type::kClass) && vm.IsSubclass(As<Class>(super->self), super->owner);
  Class* cls = of_class ? As<Class>(super->self) : vm.ClassOf(super->self);
  bool after = false;
  for (uint32_t i = 0; i < cls->mro_count; ++i) {
    Value* found = after ? vm.DictFindString(cls->mro[i]->attributes, name) : nullptr;
    if (found != nullptr) return vm.Bind(*found, of_class ? Value() : super->self, cls);
    after = after || cls->mro[i] == super->owner;
  }
  const Value found = vm.FindInClass(vm.classes[static_cast<int>(Type::kSuper)], name);
  return found.empty() ? SpecialAttribute(vm, Value::Of(super), name)
                       : vm.Bind(found, Value::Of(super), nullptr);
}

Value Vm::GetPlain(Value v, String* name) {
  if (Is(v, Type::kClass)) return GetOfClass(*this, As<Class>(v), name);
  if (Is(v, Type::kSuper)) return GetOfSuper(*this, As<Super>(v), name);
  Class* cls = ClassOf(v);
  const Value in_class = FindInClass(cls, name);
  if (!in_class.empty() && IsDataDescriptor(in_class) &&
      (Is(in_class, Type::kMember) || Is(in_class, Type::kDescriptor) ||
       !FindSpecial(ClassOf(in_class), names.get).empty()))
    return Bind(in_class, v, cls);
  if (v.IsObject()) {
    const Value own = OwnAttribute(*this, v, name);
    if (!own.empty()) return own;
  }
  const bool own_doc = Is(v, Type::kFunction) || Is(v, Type::kNative) || Is(v, Type::kDescriptor) ||
                       Is(v, Type::kBoundMethod);
  if (!in_class.empty() && name != names.class_ && (name != names.doc || !own_doc))
    return Bind(in_class, v, cls);
  const Value special = SpecialAttribute(*this, v, name);
  if (!special.empty() || failed() || in_class.empty()) return special;
  return Bind(in_class, v, cls);
}

// A module may have a __getattr__ of its own.
static Value GetOfModule(Vm& vm, Value v, String* name) {
  const Value found = vm.GetPlain(v, name);
  if (!found.empty() || vm.failed() || name == vm.names.getattr) return found;
  const Value hook = OwnAttribute(vm, v, vm.names.getattr);
  if (hook.empty()) return found;
  const Value text = Value::Of(name);
  return vm.Call(hook, &text, 1);
}

Value Vm::GetAttributeOrEmpty(Value v, String* name) {
  Class* cls = ClassOf(v);
  if (Is(v, Type::kModule)) return GetOfModule(*this, v, name);
  if (!cls->has_getattr && !cls->has_getattribute) return GetPlain(v, name);
  Value found;
  const Value args[] = {v, Value::Of(name)};
  Roots roots(*this);
  roots.Add(v);
  if (cls->has_getattribute) {
    const Value hook = FindSpecial(cls, names.getattribute);
    found = hook.empty() ? GetPlain(v, name) : Call(hook, args, 2);
  } else {
    found = GetPlain(v, name);
  }
  if (!found.empty()) return found;
  const Value hook = cls->has_getattr ? FindInClass(cls, names.getattr) : Value();
  if (hook.empty()) return failed() ? found : NoAttribute(v, name);
  if (failed() && !TakePending(Error::kAttributeError)) return found;
  return Call(hook, args, 2);
}

Value Vm::NoAttribute(Value v, String* name) {
  if (Is(v, Type::kClass))
    return Throw(Error::kAttributeError, "type object '{}' has no attribute '{}'",
                 As<Class>(v)->name->view(), name->view());
  if (Is(v, Type::kModule))
    return Throw(Error::kAttributeError, "module '{}' has no attribute '{}'",
                 As<Module>(v)->name->view(), name->view());
  return Throw(Error::kAttributeError, "'{}' object has no attribute '{}'", TypeName(v),
               name->view());
}

Value Vm::GetAttribute(Value v, String* name) {
  const Value found = GetAttributeOrEmpty(v, name);
  if (!found.empty()) return found;
  // A method asks its function last.
  const bool method = Is(v, Type::kBoundMethod) && !Is(As<BoundMethod>(v)->function, Type::kNative);
  if (!failed()) NoAttribute(method ? As<BoundMethod>(v)->function : v, name);
  TellName(*this, Error::kAttributeError, Value::Of(name), v);
  return Value();
}

// What super().name finds when it is a method. Behind the owner the class's mro must go on as that
// of the class that follows: then the cache of methods knows.
static bool MethodOfSuper(Vm& vm, const Super* super, String* name, Value* function) {
  if (!Is(super->self, Type::kInstance)) return false;
  const Class* cls = As<Instance>(super->self)->cls();
  uint32_t at = 0;
  while (at < cls->mro_count && cls->mro[at] != super->owner) ++at;
  if (++at >= cls->mro_count) return false;
  Class* next = cls->mro[at];
  if (next->mro_count != cls->mro_count - at ||
      !std::equal(next->mro, next->mro + next->mro_count, cls->mro + at))
    return false;
  *function = vm.FindInClass(next, name);
  return Is(*function, Type::kFunction) ||
         (Is(*function, Type::kNative) && As<Native>(*function)->owner != nullptr);
}

bool Vm::GetMethod(Value v, String* name, Value* function, Value* self) {
  *self = Value();
  if (Is(v, Type::kSuper) && name != names.class_ &&
      MethodOfSuper(*this, As<Super>(v), name, function)) {
    *self = As<Super>(v)->self;
    return true;
  }
  if (!Is(v, Type::kClass) && !Is(v, Type::kModule) && !Is(v, Type::kSuper)) {
    Class* cls = ClassOf(v);
    const Value found = FindInClass(cls, name);
    const bool method = Is(found, Type::kFunction) ||
                        (Is(found, Type::kNative) && As<Native>(found)->owner != nullptr);
    if (method && !cls->has_getattribute &&
        (!v.IsObject() || OwnAttribute(*this, v, name).empty())) {
      *function = found;
      *self = v;
      return true;
    }
  }
  *function = GetAttribute(v, name);
  return !function->empty();
}

static bool SetOfClass(Vm& vm, Class* cls, String* name, Value value) {
  if (cls->builtin) {
    vm.Throw(Error::kTypeError, "cannot set '{}' attribute of immutable type '{}'", name->view(),
             cls->name->view());
    return false;
  }
  if (SetSpecialOfClass(vm, cls, name, value)) return !vm.failed();
  Value* old = vm.DictFindString(cls->attributes, name);
  if (value.empty() && old == nullptr) {
    vm.Throw(Error::kAttributeError, "type object '{}' has no attribute '{}'", cls->name->view(),
             name->view());
    return false;
  }
  const auto plain = [](Value v) {
    return !v.empty() && !Is(v, Type::kFunction) && !Is(v, Type::kNative) &&
           !Is(v, Type::kDescriptor) && !Is(v, Type::kMember) && !HasMethods(v);
  };
  const bool plain_before = old != nullptr && plain(*old);
  const bool unseen = plain_before && plain(value) && !cls->remembered;
  const bool changed = value.empty() ? !vm.DictRemove(cls->attributes, Value::Of(name)).empty()
                                     : vm.DictSet(cls->attributes, Value::Of(name), value);
  if (!changed) return false;
  if (name->view() == "__abstractmethods__") {
    cls->abstract = false;
    if (!value.empty() && !vm.Truth(value, &cls->abstract)) return false;
  }
  if (!unseen) {
    // The caches forget all of the class, this once: after that they leave its values alone.
    if (plain_before && plain(value)) {
      cls->changing = true;
      cls->remembered = false;
    }
    ClassChanged(vm, cls);
    // Not by how many classes there are: some may be dead, which only a collection finds out.
    return vm.ChargeSteps(kChangeSteps);
  }
  // No method or descriptor comes or goes: only this name is not what it was.
  const auto forget = [name](Vm::MethodCacheLine& line) {
    if (line.name == name) line = {};
  };
  if (vm.script_classes.size() < Vm::kMethodCacheLines / 4) {
    for (Class* one : vm.script_classes) forget(vm.MethodLine(one, name));
  } else {
    for (Vm::MethodCacheLine& line : vm.method_cache) forget(line);
  }
  return true;
}

// What the name means in modules that do not set it; without a value nothing.
static void SetBuiltin(Vm& vm, String* name, Value value) {
  for (uint32_t i = 0; i < vm.modules->used; ++i) {
    const Value module = vm.modules->entries[i].value;
    if (vm.modules->entries[i].key.empty()) continue;
    Value* slot =
        Is(module, Type::kModule) ? vm.DictFindString(As<Module>(module)->index, name) : nullptr;
    if (slot != nullptr) As<Module>(module)->slots[slot->AsSmallInt()].builtin = value;
  }
}

bool Vm::SetPlain(Value v, String* name, Value value) {
  Class* cls = ClassOf(v);
  const Value in_class = FindInClass(cls, name);
  if (!in_class.empty()) {
    bool handled;
    const bool done = SetDescriptor(*this, in_class, v, value, &handled);
    if (handled) return done;
  }
  if (Is(v, Type::kClass)) return SetOfClass(*this, As<Class>(v), name, value);
  if (Is(v, Type::kModule)) {
    if (As<Module>(v)->name->view() == "builtins") SetBuiltin(*this, name, value);
    if (!value.empty()) return SetVariable(As<Module>(v), name->view(), value);
    Value* slot = DictFindString(As<Module>(v)->index, name);
    if (slot != nullptr && !As<Module>(v)->slots[slot->AsSmallInt()].value.empty()) {
      As<Module>(v)->slots[slot->AsSmallInt()].value = Value();
      return true;
    }
    NoAttribute(v, name);
    return false;
  }
  if (SetSpecial(*this, v, name, value)) return !failed();
  if (failed()) return false;
  if (Is(v, Type::kFunction)) return SetOfFunction(*this, As<Function>(v), name, value);
  Slots slots;
  if (cls->takes_dict && v.IsObject() && SlotsOf(v.object(), &slots)) {
    if (!value.empty()) return SetSlot(*this, slots, cls, name, value);
    bool found;
    if (!DeleteSlot(*this, slots, name, &found)) return false;
    if (found) return true;
    NoAttribute(v, name);
    return false;
  }
  if (in_class.empty()) {
    NoAttribute(v, name);
  } else {
    Throw(Error::kAttributeError, "'{}' object attribute '{}' is read-only", TypeName(v),
          name->view());
  }
  return false;
}

bool Vm::SetAttribute(Value v, String* name, Value value) {
  Class* cls = ClassOf(v);
  if (cls->has_setattr) {
    const Value hook = FindSpecial(cls, names.setattr);
    const Value args[] = {v, Value::Of(name), value};
    if (!hook.empty()) return !Call(hook, args, 3).empty();
  }
  return SetPlain(v, name, value);
}

bool Vm::DeleteAttribute(Value v, String* name) {
  Class* cls = ClassOf(v);
  if (cls->has_setattr) {
    const Value hook = FindSpecial(cls, names.delattr);
    const Value args[] = {v, Value::Of(name)};
    if (!hook.empty()) return !Call(hook, args, 2).empty();
  }
  return SetPlain(v, name, Value());
}

Dict* Vm::AttributeDict(Value v) {
  Slots slots;
  if (!v.IsObject()) return nullptr;
  if (Is(v, Type::kFunction)) {
    Dict*& attributes = As<Function>(v)->attributes;
    if (attributes == nullptr) {
      const Value dict = NewDict();
      if (dict.empty()) return nullptr;
      attributes = As<Dict>(dict);
    }
    return attributes;
  }
  Class* cls = ClassOf(v);
  return cls->takes_dict && SlotsOf(v.object(), &slots) ? SlotsDict(*this, slots, cls) : nullptr;
}

Value Vm::FindSpecial(Class* cls, String* name) {
  const Value found = FindInClass(cls, name);
  if (!Is(found, Type::kNative) || !As<Native>(found)->wrapper) return found;
  if (cls->builtin) return Value();
  // One that a script took from another type or name does override.
  uint32_t i = 0;
  while (!cls->mro[i]->builtin) ++i;
  return FindInClass(cls->mro[i], name) == found ? Value() : found;
}

Value Vm::CallSpecial(Value v, String* name, const Value* args, size_t count, bool* found) {
  Class* cls = ClassOf(v);
  Value method = FindSpecial(cls, name);
  *found = !method.empty();
  if (!*found) return Value();
  if (method.IsNone()) return Raise(Error::kTypeError, "'NoneType' object is not callable");
  Value all[4] = {v};
  for (size_t i = 0; i < count && i < 3; ++i) all[i + 1] = args[i];
  if (Is(method, Type::kNative) && As<Native>(method)->owner != nullptr &&
      !As<Native>(method)->collects) {  // nothing of it need be where the collector looks
    Args direct{all, static_cast<uint32_t>(count + 1)};
    return CallBuiltin(As<Native>(method), direct);
  }
  if (Is(method, Type::kFunction) ||
      (Is(method, Type::kNative) && As<Native>(method)->owner != nullptr))
    return Call(method, all, count + 1);
  Roots roots(*this);
  for (size_t i = 0; i <= count && i < 4; ++i) roots.Add(all[i]);
  method = Bind(method, v, cls);
  if (method.empty()) return method;
  return Call(roots.Add(method), args, count);
}

}  // namespace ferry::vm
