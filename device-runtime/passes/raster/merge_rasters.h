// Data movement over data movement: a raster that reads a raster's output reads that one's input
// instead, one that only renames is an alias, and primitives that take strides (products, maps,
// attention) read and write through rasters in place.
#pragma once

#include "device-runtime/ir/program.h"

namespace ferry::passes {

// Copies of one raster after merging, at most.
inline constexpr size_t kMaxMergedCopies = 64;

// The number of steps that went. The program stays verified.
int MergeRasters(ir::Program& program);

}  // namespace ferry::passes
