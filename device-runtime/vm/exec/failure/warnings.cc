#include "device-runtime/vm/exec/failure/warnings.h"

#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {

bool WarnDeprecated(Vm& vm, std::string_view text) {
  if (vm.Imported("warnings").empty()) return true;
  Roots roots(vm);
  const Value module = roots.Add(vm.Import("warnings", true));
  String* name = module.empty() ? nullptr : vm.Intern("warn");
  const Value warn = name == nullptr ? Value() : roots.Add(vm.GetAttribute(module, name));
  const Value message = warn.empty() ? warn : roots.Add(vm.NewString(text));
  const Value args[] = {message,
                        Value::Of(vm.errors[static_cast<int>(Error::kDeprecationWarning)])};
  return !message.empty() && !vm.Call(warn, args, 2).empty();
}

bool CheckReturned(Vm& vm, std::string_view method, Value* result, std::string_view type) {
  const bool of_type = type == "int"     ? IsInt(*result)
                       : type == "float" ? IsFloatValue(*result)
                                         : Is(*result, Type::kComplex);
  if (!of_type)
    return !vm.Throw(Error::kTypeError, "{} returned non-{} (type {})", method, type,
                     vm.TypeName(*result))
                .empty();
  if (!Derived(*result) && !result->IsBool()) return true;
  Roots roots(vm);
  roots.Add(*result);
  if (!WarnDeprecated(
          vm, fmt::format("{0} returned non-{1} (type {2}).  The ability to return an instance of "
                          "a strict subclass of {1} is deprecated, and may be removed in a future "
                          "version of Python.",
                          method, type, vm.TypeName(*result))))
    return false;
  if (type == "int") *result = vm.Unary(static_cast<int>(Operator::kPositive), Plain(*result));
  return !result->empty();
}

}  // namespace ferry::vm
