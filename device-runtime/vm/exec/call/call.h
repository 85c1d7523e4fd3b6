// Calls of classes as type.__call__ does them: __new__, then __init__, without asking the
// metaclass.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// Calls the class and gives the instance; empty: it failed. Scripts run: the caller keeps alive
// what it needs.
Value CallConstruct(Vm& vm, Class* cls, const Value* args, size_t count,
                    const Tuple* keyword_names);
// Begins such a call with arguments that lie on the stack. What comes back, and where, is what
// Vm::BeginCall says.
Vm::Begin BeginConstruct(Vm& vm, Class* cls, Value* args, uint32_t count,
                         const Tuple* keyword_names, Value* result);

}  // namespace ferry::vm
