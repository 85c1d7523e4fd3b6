// What is said of names that nothing has.
#include "device-runtime/vm/exec/failure/names.h"

namespace ferry::vm {

void TellName(Vm& vm, Error error, Value name, Value other) {
  if (!vm.fatal.ok() || !Is(vm.pending, Type::kException)) return;
  auto* exception = As<Exception>(vm.pending);
  if (!exception->detail.empty() ||
      !vm.IsSubclass(exception->cls, vm.errors[static_cast<int>(error)]))
    return;
  const Value pair[] = {name, other};
  const Value told = vm.NewTuple(pair, 2);
  if (!told.empty()) exception->detail = told;
}

void NoName(Vm& vm, String* name) {
  vm.Throw(Error::kNameError, "name '{}' is not defined", name->view());
  TellName(vm, Error::kNameError, Value::Of(name), Value::None());
}

Value LateName(Vm& vm, Module* module, uint32_t slot) {
  String* const name = module->slots[slot].name;
  if (name->view() == "__builtins__")
    return module->slots[slot].builtin = vm.Import("builtins", true);
  NoName(vm, name);
  return Value();
}

void NoValue(Vm& vm, String* name, bool free) {
  if (free) {
    vm.Throw(Error::kNameError,
             "cannot access free variable '{}' where it is not associated with a value in "
             "enclosing scope",
             name->view());
  } else {
    vm.Throw(Error::kUnboundLocalError,
             "cannot access local variable '{}' where it is not associated with a value",
             name->view());
  }
  TellName(vm, Error::kNameError, Value::Of(name), Value::None());
}

Value LoadName(Vm& vm, Value space, Value name, const Variable& variable) {
  const Value found = vm.Index(space, name);
  if (!found.empty() || !vm.TakePending(Error::kKeyError)) return found;
  const Value v = variable.value.empty() ? variable.builtin : variable.value;
  if (v.empty()) NoName(vm, As<String>(name));
  return v;
}

}  // namespace ferry::vm
