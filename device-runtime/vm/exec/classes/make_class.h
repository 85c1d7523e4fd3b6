// What a change of a class's attributes leads to. Vm::MakeClass makes the class.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// Tells the inline caches that attributes of the class have changed, and works out the hooks of it
// and of all that derive from it. To be called after each change. No script runs.
void ClassChanged(Vm& vm, Class* cls);
// Works out the flags of the class, such as has_getattr, from what it and its bases hold.
void UpdateHooks(Vm& vm, Class* cls);

}  // namespace ferry::vm
