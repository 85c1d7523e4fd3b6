// Hashes that need nobody: no script runs.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// hash() of a short tuple of small integers and strings; false: another one, or the steps are used
// up (then asking again says so).
bool QuickTupleHash(Vm& vm, Value v, int64_t* hash);
// The entry of a dict or set whose key is the tuple of these values; *known: whether the answer is
// sure, and as many steps as there are values were taken.
Entry* FindKey(Vm& vm, Dict* dict, const Value* items, uint32_t count, bool* known);

}  // namespace ferry::vm
