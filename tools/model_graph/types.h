// Types of a graph's values at the declared shapes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device-runtime/ir/graph.h"
#include "device-runtime/ops/node_context.h"

namespace ferry::model_graph {

// Constants that shape arithmetic makes on the way; larger ones decide no shape.
inline constexpr int64_t kMaxFoldedElements = 1 << 16;

struct Types {
  std::vector<std::optional<ops::ValueInfo>> of;  // by value; absent: not known before a run
  std::map<size_t, std::string> problems;         // by node: why its shape rule refused
  std::vector<std::string> assumed;               // names of free dimensions that were taken as 1
};

// Follows the shape rules from the inputs on. What depends on values of a run, on sequences or on
// bodies stays unknown, with all that follows from it.
Types TypesOf(const ir::Graph& graph);

}  // namespace ferry::model_graph
