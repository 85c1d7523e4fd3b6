// Joins maps: one that only another map reads becomes part of it, so that what passes between them
// never reaches memory. This is loop fusion.
#pragma once

#include "device-runtime/ir/program.h"

namespace ferry::passes {

// Registers that a joined map may need: what the kernels have (kernels/map/map.h).
inline constexpr int kMaxMapRegisters = 16;
// Inputs of a joined map: each is a stream of its own through the cache.
inline constexpr size_t kMaxMapInputs = 8;

// The number of maps that went into others.
int FuseMaps(ir::Program& program);

}  // namespace ferry::passes
