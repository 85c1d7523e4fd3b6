// Stable sort of a list, as list.sort does.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// The truth of sort's argument `reverse`; false: it is no int. Scripts may run (__index__).
bool SortReverse(Vm& vm, Value v, bool* reverse);
// Sorts the list by `key`, which may be empty; false: it failed, and the list holds its items in
// some order. It is empty to scripts while its keys and comparisons run.
bool SortList(Vm& vm, List* list, Value key, bool reverse);

}  // namespace ferry::vm
