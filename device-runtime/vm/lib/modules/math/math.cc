// The module math.
#include <cmath>

#include "device-runtime/vm/lib/modules/math/real.h"

namespace ferry::vm {

Value MakeMath(Vm& vm) {
  Value v = MakeModule(vm, "math", MathRealRows());
  if (v.empty()) return v;
  auto* module = As<Module>(v);
  for (const auto rows : {MathWholeRows(), MathSumRows()}) {
    for (const BuiltinRow& row : rows) {
      Value native = vm.NewNative(row.name, row.function, nullptr, row.collects);
      if (native.empty() || !vm.SetVariable(module, row.name, native)) return Value();
    }
  }
  const bool ok = vm.SetVariable(module, "pi", Value::Float(M_PI)) &&
                  vm.SetVariable(module, "e", Value::Float(M_E)) &&
                  vm.SetVariable(module, "tau", Value::Float(2 * M_PI)) &&
                  vm.SetVariable(module, "inf", Value::Float(HUGE_VAL)) &&
                  vm.SetVariable(module, "nan", Value::Float(NAN));
  return ok ? v : Value();
}

}  // namespace ferry::vm
