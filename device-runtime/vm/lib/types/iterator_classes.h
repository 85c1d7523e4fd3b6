// The classes of the iterators that the interpreter itself makes.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

bool MakeIteratorClasses(Vm& vm);  // into vm.iterators; false: no memory

}  // namespace ferry::vm
