// The check of one step whose buffers may be slices of others.
#pragma once

#include "device-runtime/passes/memory/slices.h"

namespace ferry::passes {

// Whether every access of `step` lies inside the buffers that hold its operands (ir::Verify of the
// step alone, with what is left of each whole as the operand), and every slice inside its whole.
bool VerifyPlaced(const PlacedProgram& placed, const ir::Step& step);

}  // namespace ferry::passes
