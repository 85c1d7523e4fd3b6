// The image: what every isolate of the process has in common (struct Shared: built-in classes with
// their methods, exceptions, functions, names), made once, then read-only pages. A new isolate only
// copies the pointers. Its objects are marked for ever, so no collector looks into them.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// Made at the first call, on any thread; lives for ever. nullptr: no memory; the next call tries
// again.
const Vm* Image();

}  // namespace ferry::vm
