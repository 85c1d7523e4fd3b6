// In which layout each operator runs: the cheapest for the whole graph, with what changing between
// layouts costs. Convolutions, pools and some others have one layout only; element-wise operators,
// concatenations, slices... run in either. Two labels under costs of pairs are a minimum cut.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "device-runtime/ir/graph.h"
#include "device-runtime/ir/program.h"
#include "device-runtime/ops/lower_context.h"

namespace ferry::passes {

// Microseconds of a step of a program.
using StepCost = std::function<double(const ir::Program&, const ir::Step&)>;

// Longer graphs follow the layouts of their inputs.
inline constexpr size_t kMaxLayoutNodes = 20000;

// Lowers one node into `program` with inputs in the given forms; what the forms of its outputs are.
using LowerNode =
    std::function<Status(size_t node, ir::Program& program, std::span<ops::Forms> inputs,
                         std::span<ops::Forms> outputs)>;

// The layout each node of a specialised graph is to find its inputs in: those of the node's largest
// rank, if that is 3 or more, constants apart. nullopt: it does not matter.
using Layouts = std::vector<std::optional<ir::Layout>>;
Result<Layouts> ChooseLayouts(const ir::Graph& graph, const LowerNode& lower, const StepCost& cost);

// Whether a chosen layout is one of input `i`.
bool TakesLayout(const ir::Graph& graph, const ir::Node& node, size_t i);

}  // namespace ferry::passes
