// Attributes that objects have without storing them: __name__, __class__, args ...
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

Value SpecialAttribute(Vm& vm, Value v, String* name);  // empty when there is none
// The same for setting and (empty value) deleting: true when the name is one of these, then what
// failed is pending.
bool SetSpecial(Vm& vm, Value v, String* name, Value value);
bool SetSpecialOfClass(Vm& vm, Class* cls, String* name, Value value);
bool SetOfFunction(Vm& vm, Function* function, String* name, Value value);
// Through a descriptor found in the class; *handled false when it is none that takes values.
bool SetDescriptor(Vm& vm, Value attribute, Value self, Value value, bool* handled);
// repr() of objects that are no data; *handled false: of others.
bool ObjectText(Vm& vm, Value v, std::string* out, bool* handled);
// The classes that `cls` was made from; a new tuple for built-in ones.
Value BasesOf(Vm& vm, Class* cls);
// The __dict__ of a module. May run scripts.
Value ModuleDict(Vm& vm, Module* module);

}  // namespace ferry::vm
