// Arguments of script functions, put at the places of the parameters in the common cases. Neither
// function runs a script, raises or allocates.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// Nothing may collect between these and the callee's frame: what they move past the caller's
// registers is not seen.

// Completes `count` positional arguments of a simple function by its defaults. false: there are not
// enough or too many, and nothing has changed.
bool FillDefaults(const Function* function, Value* args, uint32_t count);

// Puts `count` positional arguments and the keywords behind them into the order of the parameters.
// Gives how many are set then; 0: the function is none that this can do, or they do not fit, and
// nothing has changed.
uint32_t BindKeywords(Vm& vm, const Function* function, Value* args, uint32_t count,
                      const Tuple* names);

}  // namespace ferry::vm
