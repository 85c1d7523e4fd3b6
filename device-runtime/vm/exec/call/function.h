// Functions of scripts: made where a def or lambda runs (Vm::MakeFunction), and copied.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// A new function with the code, cells, defaults and names of `from`, for those that get names of
// their own. nullptr: there is no memory, which is reported. No script runs.
Function* CopyFunction(Vm& vm, const Function* from);

}  // namespace ferry::vm
