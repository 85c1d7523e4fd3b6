// Pairs of instructions that often follow each other, done at once.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// Rewrites code that has not run yet: the first of two instructions becomes one that does both, the
// second stays for those who jump to it. Places, ranges of handlers and distances, which are the
// steps that jumping back counts, stay as they are. false: there is no memory.
bool Fuse(Vm& vm, CodeObject* code);

}  // namespace ferry::vm
