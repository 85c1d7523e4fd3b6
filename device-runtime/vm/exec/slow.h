// Instructions that need objects with destructors, which Vm::Run cannot have.
#pragma once

#include "device-runtime/vm/exec/vm.h"

namespace ferry::vm {

Value BuildSet(Vm& vm, const Value* items, uint32_t count);
bool SetUpdate(Vm& vm, Dict* set, Value iterable);
Value FormatField(Vm& vm, Value v, Value spec, int conversion);
Value JoinStrings(Vm& vm, const Value* strings, uint32_t count);
Value BuildClass(Vm& vm, String* name, Value bases, Value body);
void RaiseStatement(Vm& vm, Value v, Value cause);  // cause empty: without `from`

}  // namespace ferry::vm
