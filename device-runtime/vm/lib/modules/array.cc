// The module array; the methods of its class are in lib/types/array.cc.
#include "device-runtime/vm/exec/collections/item.h"
#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {

Value MakeArray(Vm& vm) {
  Value module = MakeModule(vm, "array", {});
  Class* cls = vm.classes[static_cast<int>(Type::kArray)];
  Value codes = vm.NewString(kArrayCodes);
  if (module.empty() || codes.empty()) return Value();
  return vm.SetVariable(As<Module>(module), "array", Value::Of(cls)) &&
                 vm.SetVariable(As<Module>(module), "ArrayType", Value::Of(cls)) &&
                 vm.SetVariable(As<Module>(module), "typecodes", codes)
             ? module
             : Value();
}

}  // namespace ferry::vm
