// Arguments of script functions, bound in the common cases.
#pragma once

#include "device-runtime/vm/exec/vm.h"

namespace ferry::vm {

// Nothing collects between these and the callee's frame: what they move past the caller's
// registers is not seen.

// Completes `count` positional arguments of a simple function by its defaults. false: not enough
// or too many, and nothing has changed.
bool FillDefaults(const Function* function, Value* args, uint32_t count);

// Puts `count` positional arguments and the keywords behind them into the order of the parameters,
// of which as many as PlainParameters says are set then. false: the function is none that this can
// do, or they do not fit: nothing has changed.
bool BindKeywords(Vm& vm, const Function* function, Value* args, uint32_t count,
                  const Tuple* names);

inline uint32_t PlainParameters(const CodeObject* code) {
  return uint32_t{code->positional} + code->keyword_only;
}

}  // namespace ferry::vm
