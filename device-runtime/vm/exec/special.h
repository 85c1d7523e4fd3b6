// Attributes that objects have without storing them: __name__, __class__, args ...
#pragma once

#include "device-runtime/vm/exec/vm.h"

namespace ferry::vm {

Value SpecialAttribute(Vm& vm, Value v, String* name);  // empty when there is none
// Into the object's own attributes, past properties and hooks.
bool StoreOwn(Vm& vm, Value v, String* name, Value value);

}  // namespace ferry::vm
