// What steps can do with buffers that lie as slices in others.
#pragma once

#include "device-runtime/passes/memory/slices.h"

namespace ferry::passes {

// Makes `step` read input `input` where the slice says, and write its output `output` so. Only
// strides change; false, and nothing changes, when it cannot. Slices of one row need no change.
bool ReadSlice(const ir::Program& program, ir::Step& step, size_t input, const Slice& slice);
bool WriteSlice(const ir::Program& program, ir::Step& step, size_t output, const Slice& slice);

}  // namespace ferry::passes
