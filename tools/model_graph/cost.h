// What a node costs, estimated from the types of its values alone.
#pragma once

#include <cstdint>
#include <optional>

#include "device-runtime/ir/graph.h"
#include "tools/model_graph/types.h"

namespace ferry::model_graph {

inline constexpr int64_t kMaxMacs = int64_t{1} << 53;  // larger ones are this: JSON's whole numbers

struct NodeCost {
  // Multiplications with an addition, of convolutions, products and recurrent networks: the plain
  // algorithm's. Of other operators 0.
  int64_t macs = 0;
  int64_t bytes = 0;  // of all that it reads and writes, each once
};

// Nothing where a type is not known.
std::optional<NodeCost> CostOf(const ir::Node& node, const Types& types);

}  // namespace ferry::model_graph
