#include "device-runtime/vm/exec/special.h"
#include "device-runtime/vm/exec/vm.h"

namespace ferry::vm {

Value Vm::Bind(Value attribute, Value self, Class* cls) {
  if (!attribute.IsObject()) return attribute;
  switch (attribute.object()->type) {
    case Type::kFunction:
    case Type::kNative:
      return self.empty() ? attribute : NewBound(self, attribute);
    case Type::kDescriptor: {
      auto* descriptor = As<Descriptor>(attribute);
      if (descriptor->aux == 1) return descriptor->get;
      if (descriptor->aux == 2) return NewBound(Value::Of(cls), descriptor->get);
      return self.empty() ? attribute : Call(descriptor->get, &self, 1);
    }
    default:
      return attribute;
  }
}

// What instances, modules and classes hold themselves; empty when absent.
static Value OwnAttribute(Vm& vm, Value v, String* name) {
  switch (v.object()->type) {
    case Type::kInstance:
    case Type::kException: {
      Dict* attributes = As<Instance>(v)->attributes;
      Value* found = attributes == nullptr ? nullptr : vm.DictFindString(attributes, name);
      return found == nullptr ? Value() : *found;
    }
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
    default:
      return Value();
  }
}

Value Vm::GetAttributeOrEmpty(Value v, String* name) {
  if (Is(v, Type::kClass)) {
    auto* cls = As<Class>(v);
    Value found = FindInClass(cls, name);
    if (!found.empty()) return Bind(found, Value(), cls);
    return SpecialAttribute(*this, v, name);
  }
  if (Is(v, Type::kSuper)) {
    auto* super = As<Super>(v);
    Class* cls = Is(super->self, Type::kClass) ? As<Class>(super->self) : ClassOf(super->self);
    bool after = false;
    for (uint32_t i = 0; i < cls->mro_count; ++i) {
      Value* found = after ? DictFindString(cls->mro[i]->attributes, name) : nullptr;
      if (found != nullptr)
        return Bind(*found, Is(super->self, Type::kClass) ? Value() : super->self, cls);
      after = after || cls->mro[i] == super->owner;
    }
    return Value();
  }
  Class* cls = ClassOf(v);
  Value in_class = FindInClass(cls, name);
  if (Is(in_class, Type::kDescriptor) && As<Descriptor>(in_class)->aux == 0)
    return Bind(in_class, v, cls);
  if (v.IsObject()) {
    Value own = OwnAttribute(*this, v, name);
    if (!own.empty()) return own;
  }
  if (!in_class.empty()) return Bind(in_class, v, cls);
  Value special = SpecialAttribute(*this, v, name);
  if (!special.empty() || failed()) return special;
  if (cls->has_getattr) {
    Value hook = FindInClass(cls, names.getattr);
    if (!hook.empty()) {
      Value args[] = {v, Value::Of(name)};
      return Call(hook, args, 2);
    }
  }
  return Value();
}

Value Vm::GetAttribute(Value v, String* name) {
  Value found = GetAttributeOrEmpty(v, name);
  if (!found.empty() || failed()) return found;
  if (Is(v, Type::kClass))
    return Throw(Error::kAttributeError, "type object '{}' has no attribute '{}'",
                 As<Class>(v)->name->view(), name->view());
  if (Is(v, Type::kModule))
    return Throw(Error::kAttributeError, "module '{}' has no attribute '{}'",
                 As<Module>(v)->name->view(), name->view());
  return Throw(Error::kAttributeError, "'{}' object has no attribute '{}'", TypeName(v),
               name->view());
}

bool Vm::GetMethod(Value v, String* name, Value* function, Value* self) {
  *self = Value();
  if (!Is(v, Type::kClass) && !Is(v, Type::kModule) && !Is(v, Type::kSuper)) {
    Class* cls = ClassOf(v);
    Value found = FindInClass(cls, name);
    if (Is(found, Type::kFunction) || Is(found, Type::kNative)) {
      if (!v.IsObject() || OwnAttribute(*this, v, name).empty()) {
        *function = found;
        *self = v;
        return true;
      }
    }
  }
  *function = GetAttribute(v, name);
  return !function->empty();
}

bool Vm::SetAttribute(Value v, String* name, Value value) {
  if (Is(v, Type::kInstance) || Is(v, Type::kException)) {
    auto* instance = As<Instance>(v);
    Value in_class = FindInClass(instance->cls, name);
    if (Is(in_class, Type::kDescriptor) && As<Descriptor>(in_class)->aux == 0) {
      if (As<Descriptor>(in_class)->set.empty()) {
        Throw(Error::kAttributeError, "property '{}' of '{}' object has no setter", name->view(),
              TypeName(v));
        return false;
      }
      Value args[] = {v, value};
      return !Call(As<Descriptor>(in_class)->set, args, 2).empty();
    }
    if (instance->cls->has_getattr) {
      Value hook = FindInClass(instance->cls, names.setattr);
      if (!hook.empty()) {
        Value args[] = {v, Value::Of(name), value};
        return !Call(hook, args, 3).empty();
      }
    }
    if (Is(v, Type::kException) && name == names.cause) {
      As<Exception>(v)->cause = value;
      return true;
    }
    return StoreOwn(*this, v, name, value);
  }
  if (Is(v, Type::kClass) && !As<Class>(v)->builtin) {
    for (MethodCacheLine& line : method_cache) line = {};
    auto* cls = As<Class>(v);
    if (name == names.getattr || name == names.setattr) cls->has_getattr = true;
    return DictSet(cls->attributes, Value::Of(name), value);
  }
  if (Is(v, Type::kModule)) return SetVariable(As<Module>(v), name->view(), value);
  if (Is(v, Type::kFunction)) return StoreOwn(*this, v, name, value);
  Throw(Error::kAttributeError, "'{}' object has no attribute '{}'", TypeName(v), name->view());
  return false;
}

bool StoreOwn(Vm& vm, Value v, String* name, Value value) {
  Dict*& attributes =
      Is(v, Type::kFunction) ? As<Function>(v)->attributes : As<Instance>(v)->attributes;
  if (attributes == nullptr) {
    Value dict = vm.NewDict();
    if (dict.empty()) return false;
    attributes = As<Dict>(dict);
  }
  return vm.DictSet(attributes, Value::Of(name), value);
}

bool Vm::DeleteAttribute(Value v, String* name) {
  Dict* attributes = Is(v, Type::kInstance) || Is(v, Type::kException) ? As<Instance>(v)->attributes
                     : Is(v, Type::kClass) && !As<Class>(v)->builtin   ? As<Class>(v)->attributes
                                                                       : nullptr;
  if (Is(v, Type::kClass))
    for (MethodCacheLine& line : method_cache) line = {};
  if (attributes != nullptr && !DictRemove(attributes, Value::Of(name)).empty()) return true;
  if (!failed())
    Throw(Error::kAttributeError, "'{}' object has no attribute '{}'", TypeName(v), name->view());
  return false;
}

Value Vm::CallSpecial(Value v, String* name, const Value* args, size_t count, bool* found) {
  Value method = FindInClass(ClassOf(v), name);
  *found = !method.empty() && !method.IsNone();
  if (!*found) return Value();
  Value all[4] = {v};
  for (size_t i = 0; i < count && i < 3; ++i) all[i + 1] = args[i];
  return Call(method, all, count + 1);
}

}  // namespace ferry::vm
