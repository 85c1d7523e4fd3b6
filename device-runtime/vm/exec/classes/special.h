// Attributes that objects have without storing them: __name__, __class__, args ...
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// Such an attribute; empty with nothing pending: there is none. Some of them run scripts.
Value SpecialAttribute(Vm& vm, Value v, String* name);
// Sets one or, with an empty value, deletes it. true: the name is one of these, and if that failed
// something is pending; false: it is none of these, and nothing has happened. Scripts may run.
bool SetSpecial(Vm& vm, Value v, String* name, Value value);
// The same for classes and functions.
bool SetSpecialOfClass(Vm& vm, Class* cls, String* name, Value value);
bool SetOfFunction(Vm& vm, Function* function, String* name, Value value);
// The classes that `cls` was made from; a new tuple for built-in ones. Empty: there is no memory.
Value BasesOf(Vm& vm, Class* cls);
// The __dict__ of a module; empty: it failed. May run scripts.
Value ModuleDict(Vm& vm, Module* module);

// ---- descriptor.cc ----
// Sets or, with an empty value, deletes through a descriptor found in the class; *handled false
// when it is none that takes values. false: it failed. A __set__ of scripts runs.
bool SetDescriptor(Vm& vm, Value attribute, Value self, Value value, bool* handled);

// ---- object_repr.cc ----
// Appends the repr() of objects that are no data; *handled false: it is another object. false: it
// failed. Scripts may run.
bool ObjectText(Vm& vm, Value v, std::string* out, bool* handled);

}  // namespace ferry::vm
