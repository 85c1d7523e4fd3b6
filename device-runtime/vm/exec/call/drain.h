// Calls that ask a generator for items, which the interpreter's loop does without a nested run.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// Whether BeginDrain may know better than Vm::BeginCall.
inline bool AsksGenerator(const Value* args, uint32_t count) {
  return count - 1 < 2 && (Is(args[0], Type::kGenerator) || Is(args[count - 1], Type::kGenerator));
}

// Does what Vm::BeginCall does, for calls without keywords. next() and send() push the frame of the
// generator; sum, any, all, max, min, list, tuple, set, sorted and str.join that of a function that
// does what they do, in a few instructions; every other call goes on to Vm::BeginCall.
Vm::Begin BeginDrain(Vm& vm, Value callee, Value* args, uint32_t count, Value* result);

}  // namespace ferry::vm
