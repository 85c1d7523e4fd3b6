// Integers of up to 64 bits and a sign, which the loop computes without the ways of larger ones.
#pragma once

#include "device-runtime/vm/exec/vm.h"

namespace ferry::vm {

// x op y; false: not both such integers, or not an operator or result for this. *out is empty when
// there was no memory.
bool WideBinary(Vm& vm, Operator op, Value x, Value y, Value* out);

}  // namespace ferry::vm
