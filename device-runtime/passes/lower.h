// From a specialised graph to a program of primitives, in the order of its nodes (the schedule).
#pragma once

#include "device-runtime/ir/graph.h"
#include "device-runtime/ir/program.h"

namespace ferry::passes {

// `graph` comes from Specialize. Buffer i of the program is graph input i. The program is verified.
Result<ir::Program> Lower(const ir::Graph& graph);

}  // namespace ferry::passes
