// What the Helper instruction does: the operations that are too rare for instructions of their own.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

enum class Helper : uint16_t {
#define FERRY_HELPER(name, registers, reads) k##name,
#include "device-runtime/vm/exec/loop/helpers.inc"
#undef FERRY_HELPER
  kCount,
};

// Runs one; `args` are registers of the running frame. Empty: it failed. Scripts may run.
Value RunHelper(Vm& vm, uint16_t helper, Value* args);

// Raises what a helper says of operands that no compiler makes. Empty.
inline Value BadOperands(Vm& vm) {
  return vm.Raise(Error::kSystemError, "bad operands");
}

#define FERRY_HELPER(name, registers, reads) Value name##Helper(Vm& vm, Value* args);
#include "device-runtime/vm/exec/loop/helpers.inc"
#undef FERRY_HELPER

}  // namespace ferry::vm
