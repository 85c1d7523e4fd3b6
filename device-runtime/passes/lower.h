// From a specialised graph to a program of primitives, in the order of its nodes (the schedule).
#pragma once

#include "device-runtime/ir/graph.h"
#include "device-runtime/ir/program.h"
#include "device-runtime/passes/layout/layouts.h"

namespace ferry::passes {

// `graph` comes from Specialize. Buffer i of the program is graph input i. The program is verified.
// With a cost each operator runs in the layout that is cheapest for the whole graph
// (layout/layouts.h); without, in that of its inputs, channels-last before plain.
Result<ir::Program> Lower(const ir::Graph& graph, const StepCost& cost = {});

}  // namespace ferry::passes
