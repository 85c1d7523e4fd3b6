// What products of bfloat16 (kernels/bf16) would do to a step's result.
#pragma once

#include "device-runtime/engine/prepare/prepare.h"

namespace ferry::engine {

// Whether every number of an f32 buffer is a bfloat16: its constants are looked at; what a run
// makes is one where it is only widened or moved from bfloat16.
bool HoldsBf16(const Preparer& p, ir::BufferId id);

// Bound of what rounding both operands to bfloat16 adds to the product of buffers `a` and `b`, 0
// for operands that hold such numbers; negative where that product is not to be had: no such
// instructions here, or a right side that each run would pack again.
double Bf16ProductError(const Preparer& p, ir::BufferId a, ir::BufferId b);

}  // namespace ferry::engine
