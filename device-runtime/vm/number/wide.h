// Integers of up to 64 bits and a sign, which the loop computes without the ways of larger ones.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// x op y, the result of the instruction before `pc` of the frame, and what the instructions from
// `pc` on make of it as long as they alone read it: `(x * a + b) % m` makes no integer on the heap
// but the last. How many of those it did; the result lies in the register of the last. -1: x and y
// are no such integers, or it is no operator or result for this. -2: no memory.
int WideChain(Vm& vm, const Frame& frame, const Instruction* pc, Operator op, Value x, Value y);

}  // namespace ferry::vm
