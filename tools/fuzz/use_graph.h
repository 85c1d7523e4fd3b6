// What is done with a graph that a parser accepted: compiled, loaded, planned, run.
#pragma once

#include "device-runtime/ir/graph.h"

namespace ferry::fuzz {

// Activations of one run; more is an error that the engine must return.
inline constexpr int64_t kRunBytes = 1 << 20;

// Compiles, writes and reads the model file, plans and runs on zeros. Loops run as often as the
// model says, so graphs with Loop or Scan are only planned.
void UseGraph(ir::Graph graph);

}  // namespace ferry::fuzz
