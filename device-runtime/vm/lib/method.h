// Arguments of methods: the errors count without self, as Python's do.
#pragma once

#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {

// Positional arguments after self between min and max, no keyword; a TypeError otherwise.
inline bool ExpectMethod(Vm& vm, const Args& args, const char* name, uint32_t min, uint32_t max) {
  const uint32_t count = args.count == 0 ? 0 : args.count - 1;
  const auto cls = [&] { return args.count == 0 ? std::string("object") : vm.TypeName(args[0]); };
  if (args.keywords() > 0) {
    vm.Throw(Error::kTypeError, "{}.{}() takes no keyword arguments", cls(), name);
    return false;
  }
  if (count >= min && count <= max) return true;
  if (max == 0) {
    vm.Throw(Error::kTypeError, "{}.{}() takes no arguments ({} given)", cls(), name, count);
  } else if (min == 1 && max == 1) {
    vm.Throw(Error::kTypeError, "{}.{}() takes exactly one argument ({} given)", cls(), name,
             count);
  } else {
    const uint32_t bound = count < min ? min : max;
    vm.Throw(Error::kTypeError, "{} expected {}{} argument{}, got {}", name,
             min == max    ? ""
             : count < min ? "at least "
                           : "at most ",
             bound, bound == 1 ? "" : "s", count);
  }
  return false;
}

// BindBuiltin of what follows self.
inline bool BindMethod(Vm& vm, const Args& args, const char* name,
                       std::span<const char* const> names, uint32_t required,
                       uint32_t max_positional, Value* out) {
  const Args rest{args.args + 1, args.count - 1, args.names};
  return BindBuiltin(vm, rest, name, names, required, max_positional, out);
}

// A read-only attribute of a built-in class: `get` is called with the object.
inline bool AddProperty(Vm& vm, Class* cls, const char* name, Builtin get) {
  Value native = vm.NewNative(name, get, nullptr, false);
  Value property = native.empty() ? native : vm.NewDescriptor(0, native);
  return !property.empty() && vm.DictSetText(cls->attributes, name, property);
}

// Called with the class first.
inline bool AddClassMethod(Vm& vm, Class* cls, const char* name, Builtin function,
                           bool collects = false) {
  Value native = vm.NewNative(name, function, nullptr, collects);
  if (!native.empty()) As<Native>(native)->owner = vm.classes[kTypeClass];
  Value method = native.empty() ? native : vm.NewDescriptor(2, native);
  return !method.empty() && vm.DictSetText(cls->attributes, name, method);
}
inline bool AddStaticMethod(Vm& vm, Class* cls, const char* name, Builtin function) {
  Value native = vm.NewNative(name, function, nullptr, false);
  Value method = native.empty() ? native : vm.NewDescriptor(1, native);
  return !method.empty() && vm.DictSetText(cls->attributes, name, method);
}

}  // namespace ferry::vm
