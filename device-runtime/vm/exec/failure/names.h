// What is raised for names that nothing has, and how a name in a class body is looked up.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// A name in a class body whose namespace has methods of its own, which may run scripts. Empty: it
// failed, with NameError when nothing has the name.
Value LoadName(Vm& vm, Value space, Value name, const Variable& variable);
// A variable that neither the module nor the built-ins have set: __builtins__ is made when it is
// asked for first; of others NameError is raised, and it is empty.
Value LateName(Vm& vm, Module* module, uint32_t slot);
// Raises NameError: nothing has the name.
void NoName(Vm& vm, String* name);
// Raises the error of a local variable that is not set: UnboundLocalError, or NameError when it
// belongs to a function around (`free`).
void NoValue(Vm& vm, String* name, bool free);
// Adds to the exception just raised, if it is an `error`, what it says of itself besides its text:
// NameError.name; AttributeError.name and .obj; ImportError.name and .path. It keeps what it has
// already.
void TellName(Vm& vm, Error error, Value name, Value other);

}  // namespace ferry::vm
