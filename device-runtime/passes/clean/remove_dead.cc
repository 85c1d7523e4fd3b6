#include <algorithm>

#include "device-runtime/passes/graph_pass.h"

namespace ferry::passes {

// Graph inputs stay, used or not: they are the model's interface.
Result<int> RemoveDead(Graph& graph) {
  std::vector<bool> needed(graph.values.size(), false);
  for (ir::ValueId id : graph.outputs) needed[id] = true;
  std::vector<ir::Node> kept;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const bool is_needed = std::ranges::any_of(
        node->outputs, [&](ir::ValueId id) { return id != ir::kNoValue && needed[id]; });
    if (!is_needed) continue;
    for (ir::ValueId id : node->inputs) {
      if (id != ir::kNoValue) needed[id] = true;
    }
    kept.push_back(std::move(*node));
  }
  std::ranges::reverse(kept);
  const int removed = static_cast<int>(graph.nodes.size() - kept.size());
  graph.nodes = std::move(kept);
  graph.CompactValues();
  return removed;
}

}  // namespace ferry::passes
