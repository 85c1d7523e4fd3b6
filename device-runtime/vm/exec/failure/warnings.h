// Warnings that the interpreter itself gives. Only scripts that know the module warnings see them.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// Gives a DeprecationWarning. May run scripts; false: one of them has raised, or a filter made it
// an error.
bool WarnDeprecated(Vm& vm, std::string_view text);
// Checks what `method` (such as "__index__") gave: a TypeError unless it is of the type, and a
// warning, after which *result is the plain value, when it is of a class derived from it. false: it
// failed. May run scripts.
bool CheckReturned(Vm& vm, std::string_view method, Value* result, std::string_view type);

}  // namespace ferry::vm
