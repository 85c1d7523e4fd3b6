#include "device-runtime/vm/lib/module_error.h"

namespace ferry::vm {

Class* ErrorClass(Vm& vm, const RecordType& key, Error base) {
  auto found = vm.record_classes.find(&key);
  if (found != vm.record_classes.end()) return found->second;
  Class* cls = vm.NewClass(key.name, vm.errors[static_cast<int>(base)], Type::kException);
  if (cls == nullptr) return nullptr;
  cls->module_name = vm.Intern(key.module);
  if (cls->module_name == nullptr) return nullptr;
  vm.record_classes[&key] = cls;
  return cls;
}

Value RaiseError(Vm& vm, const RecordType& key, std::string_view message, Error base) {
  Class* cls = ErrorClass(vm, key, base);
  Value text = cls == nullptr ? Value() : vm.NewString(message);
  Value args = text.empty() ? text : vm.NewTuple(&text, 1);
  Value error = args.empty() ? args : vm.MakeException(cls, args);
  if (!error.empty()) vm.pending = error;
  return Value();
}

}  // namespace ferry::vm
