// Stable sort of a list, as list.sort does.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// `key` may be empty. The list is empty to scripts while its keys and comparisons run.
// The truth of sort's argument `reverse`, an int.
bool SortReverse(Vm& vm, Value v, bool* reverse);
bool SortList(Vm& vm, List* list, Value key, bool reverse);

}  // namespace ferry::vm
