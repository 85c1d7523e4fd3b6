// The class statement.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// Runs the body of a class statement and gives the class that its metaclass makes. keywords: a dict
// of those after the bases, or empty. Empty: it failed. Scripts run.
Value BuildClass(Vm& vm, String* name, Value bases, Value body, Value keywords);

}  // namespace ferry::vm
