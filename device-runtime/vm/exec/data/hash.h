// Hashes that need nobody.
#pragma once

#include "device-runtime/vm/exec/vm.h"

namespace ferry::vm {

// hash() of a short tuple of small integers and strings; false: another one, or the steps are used
// up (then asking again says so).
bool QuickTupleHash(Vm& vm, Value v, int64_t* hash);
// Whether a set has the item of another one, whose hash is known (set.cc).
bool SetHas(Vm& vm, Dict* set, const Entry& item, bool* failed);

}  // namespace ferry::vm
