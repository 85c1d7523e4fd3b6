// The classes of the iterators that the interpreter itself makes.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// Puts them into vm.iterators; false: there is no memory.
bool MakeIteratorClasses(Vm& vm);

}  // namespace ferry::vm
