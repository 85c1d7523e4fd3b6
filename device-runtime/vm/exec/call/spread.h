// Calls and displays with stars: f(*list, **dict), [*list].
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// The arguments of f(*list, **dict), above the top of the stack.
struct Spread {
  Value* args;
  uint32_t count;
  const Tuple* names;  // of those behind the `count` positional ones, or nullptr
};
// Copies the items of a list or tuple, and the entries of a dict (or of an empty value), to the
// stack. false: there is no room (RecursionError) or no memory. No script runs.
bool SpreadArguments(Vm& vm, Value list, Value dict, Spread* out);

// Appends what stands after * in a display or call, as list.extend does; scripts may run. false: it
// failed, with a TypeError of its own text when there is nothing to iterate over.
bool ExtendStar(Vm& vm, List* list, Value iterable);

}  // namespace ferry::vm
