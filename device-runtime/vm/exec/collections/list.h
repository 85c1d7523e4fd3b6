// Lists and tuples joined by +. How a list grows: Vm::Reserve and Vm::Append.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// x + y of two lists or two tuples. Empty: there is no memory, or the steps are used up. No script
// runs.
Value Joined(Vm& vm, Value x, Value y);
// The tuple of the `count` values and what `y` holds; it fails as Joined does.
Value JoinedTuple(Vm& vm, const Value* values, size_t count, const Tuple* y);

}  // namespace ferry::vm
