// Arguments of methods: the errors count without self, as Python's do.
#pragma once

#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {

// ---- lib.cc ----
// Whether there are between min and max positional arguments after self and no keyword; false: a
// TypeError is pending.
bool NotExpectedMethod(Vm& vm, const Args& args, const char* name, uint32_t min, uint32_t max);
inline bool ExpectMethod(Vm& vm, const Args& args, const char* name, uint32_t min, uint32_t max) {
  return (args.names == nullptr && args.count > min && args.count <= max + 1) ||
         NotExpectedMethod(vm, args, name, min, max);
}

// Does what BindBuiltin does with what follows self.
inline bool BindMethod(Vm& vm, const Args& args, const char* name,
                       std::span<const char* const> names, uint32_t required,
                       uint32_t max_positional, Value* out) {
  const Args rest{args.args + 1, args.count - 1, args.names};
  return BindBuiltin(vm, rest, name, names, required, max_positional, out);
}

// Adds a read-only attribute to a built-in class: `get` is called with the object. false: there is
// no memory, here and below.
inline bool AddProperty(Vm& vm, Class* cls, const char* name, Builtin get) {
  Value native = vm.NewNative(name, get, nullptr, false);
  Value property = native.empty() ? native : vm.NewDescriptor(DescriptorKind::kProperty, native);
  return !property.empty() && vm.DictSetText(cls->attributes, name, property);
}

// Adds a method that is called with the class first.
inline bool AddClassMethod(Vm& vm, Class* cls, const char* name, Builtin function,
                           bool collects = false) {
  Value native = vm.NewNative(name, function, nullptr, collects);
  if (!native.empty()) As<Native>(native)->owner = vm.classes[kTypeClass];
  Value method = native.empty() ? native : vm.NewDescriptor(DescriptorKind::kClassMethod, native);
  return !method.empty() && vm.DictSetText(cls->attributes, name, method);
}
// Adds a method that is called with its arguments alone.
inline bool AddStaticMethod(Vm& vm, Class* cls, const char* name, Builtin function) {
  Value native = vm.NewNative(name, function, nullptr, false);
  Value method = native.empty() ? native : vm.NewDescriptor(DescriptorKind::kStaticMethod, native);
  return !method.empty() && vm.DictSetText(cls->attributes, name, method);
}

}  // namespace ferry::vm
