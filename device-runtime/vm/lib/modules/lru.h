// functools.lru_cache: what a call of a cached function does before it makes a frame.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// ---- _functools.cc ----
// __call__ of cached functions. Scripts run.
Value CallLru(Vm& vm, Args& args);
// Looks for the result of an earlier call with these arguments: *known, or else, in *miss, the
// function to call with the cached function first. false: it failed. Runs no code of scripts but
// hashes and comparisons of what the cache holds.
bool LruLookup(Vm& vm, Value cached, const Value* args, uint32_t count, const Tuple* names,
               Value* known, Value* miss);

}  // namespace ferry::vm
