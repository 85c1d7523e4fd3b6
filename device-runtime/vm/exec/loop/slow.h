// What instructions do that need objects with destructors, which Vm::Run cannot have.
#pragma once

#include "device-runtime/vm/exec/loop/quick.h"
#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// One field of an f-string: `v` in the format `spec`, after the conversion 's', 'r' or 'a' (0:
// none). Empty: it failed. Scripts may run.
Value FormatField(Vm& vm, Value v, Value spec, int conversion);
// The strings as one. Empty: there is no memory, or the steps are used up. No script runs.
Value JoinStrings(Vm& vm, const Value* strings, uint32_t count);
// The raise statement: what it raises, or how that fails, is pending afterwards. An empty cause
// means that there is no `from`. Classes are called: scripts may run.
void RaiseStatement(Vm& vm, Value v, Value cause);

}  // namespace ferry::vm
