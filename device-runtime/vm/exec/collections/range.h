// range() of small integers; those of any size are in wide_range.h.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// The range of one to three small integers, or at once the iterator over it. Empty with something
// pending: there is no memory. Empty with nothing pending: these are other arguments, and the
// built-in class is to be called. No script runs.
Value RangeOfInts(Vm& vm, const Value* args, uint32_t count, bool iterator);

}  // namespace ferry::vm
