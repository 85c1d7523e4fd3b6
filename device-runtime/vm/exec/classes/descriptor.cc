// What an attribute found in a class becomes when it is reached through an instance or the class.
#include "device-runtime/vm/exec/call/native_level.h"
#include "device-runtime/vm/exec/classes/shape.h"
#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {
namespace {

bool MayHaveMethods(Value v) {
  switch (v.object()->type) {
    case Type::kInstance:
    case Type::kException:
    case Type::kNativeObject:
      return true;
    case Type::kClass:
      return As<Class>(v)->meta != nullptr;
    default:
      return v.object()->derived != 0;
  }
}

// The field of a named tuple.
Value GetItem(Vm& vm, uint32_t at, Value self) {
  if (!Is(self, Type::kTuple))
    return vm.Throw(Error::kTypeError,
                    "descriptor for index '{}' for tuple subclasses doesn't apply to '{}' object",
                    at, vm.TypeName(self));
  return at < As<Tuple>(self)->size ? As<Tuple>(self)->items[at]
                                    : vm.Raise(Error::kIndexError, "tuple index out of range");
}

Value GetProperty(Vm& vm, Value property, Value self) {
  auto* descriptor = As<Descriptor>(property);
  if (GetsItem(vm, descriptor->get)) return GetItem(vm, As<Member>(descriptor->get)->slot(), self);
  if (!descriptor->get.empty() && !descriptor->get.IsNone())
    return vm.Call(descriptor->get, &self, 1);
  if (IsStr(descriptor->name))
    return vm.Throw(Error::kAttributeError, "property '{}' of '{}' object has no getter",
                    Text(descriptor->name), vm.ClassOf(self)->qualified_name->view());
  return vm.Throw(Error::kAttributeError, "property of '{}' object has no getter",
                  vm.ClassOf(self)->qualified_name->view());
}

Value GetMember(Vm& vm, Member* member, Value self) {
  Slots s;
  if (!vm.IsInstance(self, member->owner) || !SlotsOf(self.object(), &s))
    return vm.Throw(Error::kTypeError,
                    "descriptor '{}' for '{}' objects doesn't apply to a '{}' object",
                    member->name->view(), member->owner->name->view(), vm.TypeName(self));
  const Value v = *s.shape == nullptr ? Value() : (*s.slots)[member->slot()];
  if (!v.empty()) return v;
  return vm.Throw(Error::kAttributeError, "'{}' object has no attribute '{}'", vm.TypeName(self),
                  member->name->view());
}

// What it wraps may be a descriptor itself.
Value BindClassMethod(Vm& vm, Descriptor* method, Class* cls) {
  NativeLevel level(vm);
  const Value self = Value::Of(cls);
  if (Is(method->get, Type::kClass)) return vm.NewBound(self, method->get);
  return level.ok() ? vm.Bind(method->get, self, vm.ClassOf(self)) : Value();
}

}  // namespace

Value Vm::Bind(Value attribute, Value self, Class* cls) {
  if (!attribute.IsObject()) return attribute;
  switch (attribute.object()->type) {
    case Type::kFunction:
      return self.empty() ? attribute : NewBound(self, attribute);
    case Type::kNative:
      return self.empty() || As<Native>(attribute)->owner == nullptr ? attribute
                                                                     : NewBound(self, attribute);
    case Type::kMember:
      return self.empty() ? attribute : GetMember(*this, As<Member>(attribute), self);
    case Type::kDescriptor: {
      if (Derived(attribute)) break;
      auto* descriptor = As<Descriptor>(attribute);
      if (descriptor->kind() == DescriptorKind::kStaticMethod) return descriptor->get;
      if (descriptor->kind() == DescriptorKind::kClassMethod)
        return BindClassMethod(*this, descriptor, cls);
      return self.empty() ? attribute : GetProperty(*this, attribute, self);
    }
    default:
      break;
  }
  if (!MayHaveMethods(attribute)) return attribute;
  const Value args[] = {self.empty() ? Value::None() : self, Value::Of(cls)};
  bool found;
  Roots roots(*this);
  roots.Add(attribute);
  const Value got = CallSpecial(attribute, names.get, args, 2, &found);
  if (found) return got;
  if (!Is(attribute, Type::kDescriptor)) return attribute;
  auto* descriptor = As<Descriptor>(attribute);
  if (descriptor->kind() == DescriptorKind::kStaticMethod) return descriptor->get;
  if (descriptor->kind() == DescriptorKind::kClassMethod)
    return BindClassMethod(*this, descriptor, cls);
  return self.empty() ? attribute : GetProperty(*this, attribute, self);
}

bool Vm::IsDataDescriptor(Value attribute) {
  if (!attribute.IsObject()) return false;
  if (Is(attribute, Type::kMember)) return true;
  if (IsDescriptor(attribute, DescriptorKind::kProperty)) return true;
  if (!MayHaveMethods(attribute)) return false;
  Class* cls = ClassOf(attribute);
  return !FindSpecial(cls, names.set).empty() || !FindSpecial(cls, names.delete_).empty();
}

namespace {

// Whether the property is an attribute of a built-in type; then it has raised.
bool ReadOnly(Vm& vm, Value property, Value self) {
  const Class* cls = vm.ClassOf(self);
  for (uint32_t i = 0; i < cls->mro_count; ++i) {
    const Class* owner = cls->mro[i];
    const Dict* attributes = owner->attributes;
    for (uint32_t k = 0; owner->builtin && k < attributes->used; ++k) {
      if (attributes->entries[k].key.empty() || attributes->entries[k].value != property) continue;
      if (owner->layout == Type::kRecord) return false;
      if (owner->layout == Type::kComplex || owner->layout == Type::kException)
        vm.Raise(Error::kAttributeError, "readonly attribute");
      else
        vm.Throw(Error::kAttributeError, "attribute '{}' of '{}' objects is not writable",
                 Text(attributes->entries[k].key), owner->name->view());
      return true;
    }
  }
  return false;
}

bool SetProperty(Vm& vm, Value property, Value self, Value value) {
  auto* descriptor = As<Descriptor>(property);
  const Value function = value.empty() ? descriptor->remove : descriptor->set;
  if (!function.empty() && !function.IsNone()) {
    const Value args[] = {self, value};
    return !vm.Call(function, args, value.empty() ? 1 : 2).empty();
  }
  if (Is(descriptor->get, Type::kNative) && ReadOnly(vm, property, self)) return false;
  // What is a property here and a field of an object there: see TypeName.
  const std::string_view type = vm.TypeName(self), name = vm.ClassOf(self)->name->view();
  if (type.size() > name.size() && type.ends_with(name)) {
    const bool fields = name == "timedelta" || name == "partial" || name == "Pattern" ||
                        name == "Match" || name == "Struct";
    if (fields || !IsStr(descriptor->name))
      vm.Raise(Error::kAttributeError, "readonly attribute");
    else
      vm.Throw(Error::kAttributeError, "attribute '{}' of '{}' objects is not writable",
               Text(descriptor->name), type);
    return false;
  }
  const std::string_view what = value.empty() ? "deleter" : "setter";
  const std::string_view owner = vm.ClassOf(self)->qualified_name->view();
  if (IsStr(descriptor->name)) {
    vm.Throw(Error::kAttributeError, "property '{}' of '{}' object has no {}",
             Text(descriptor->name), owner, what);
  } else {
    vm.Throw(Error::kAttributeError, "property of '{}' object has no {}", owner, what);
  }
  return false;
}

bool SetMember(Vm& vm, Member* member, Value self, Value value) {
  Slots s;
  if (!vm.IsInstance(self, member->owner) || !SlotsOf(self.object(), &s) || *s.shape == nullptr) {
    vm.Throw(Error::kTypeError, "descriptor '{}' for '{}' objects doesn't apply to a '{}' object",
             member->name->view(), member->owner->name->view(), vm.TypeName(self));
    return false;
  }
  Value& slot = (*s.slots)[member->slot()];
  if (value.empty() && slot.empty()) {
    vm.Raise(Error::kAttributeError, member->name->view());
    return false;
  }
  slot = value;
  return true;
}

}  // namespace

bool SetDescriptor(Vm& vm, Value attribute, Value self, Value value, bool* handled) {
  *handled = true;
  if (Is(attribute, Type::kMember)) return SetMember(vm, As<Member>(attribute), self, value);
  if (IsExact(attribute, Type::kDescriptor) &&
      As<Descriptor>(attribute)->kind() == DescriptorKind::kProperty)
    return SetProperty(vm, attribute, self, value);
  if (attribute.IsObject() && MayHaveMethods(attribute)) {
    Roots roots(vm);
    roots.Add(attribute);
    const Value args[] = {self, value};
    bool found;
    const Value done = vm.CallSpecial(attribute, value.empty() ? vm.names.delete_ : vm.names.set,
                                      args, value.empty() ? 1 : 2, &found);
    if (found) return !done.empty();
    if (IsDescriptor(attribute, DescriptorKind::kProperty))
      return SetProperty(vm, attribute, self, value);
    if (vm.IsDataDescriptor(attribute)) {
      vm.Raise(Error::kAttributeError, value.empty() ? "__delete__" : "__set__");
      return false;
    }
  }
  *handled = false;
  return true;
}

}  // namespace ferry::vm
