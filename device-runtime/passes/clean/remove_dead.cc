#include <algorithm>

#include "device-runtime/passes/graph_pass.h"

namespace ferry::passes {

// Graph inputs stay, used or not: they are the model's interface.
Result<int> RemoveDead(Graph& graph) {
  std::vector<bool> needed(graph.values.size(), false);
  for (ir::ValueId id : graph.outputs) needed[id] = true;
  std::vector<bool> gone(graph.nodes.size());
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    const ir::Node& node = graph.nodes[i];
    gone[i] = std::ranges::none_of(
        node.outputs, [&](ir::ValueId id) { return id != ir::kNoValue && needed[id]; });
    if (gone[i]) continue;
    for (ir::ValueId id : node.inputs) {
      if (id != ir::kNoValue) needed[id] = true;
    }
  }
  const auto removed = static_cast<int>(std::ranges::count(gone, true));
  if (removed > 0) KeepNodes(graph, gone);
  graph.CompactValues();
  return removed;
}

}  // namespace ferry::passes
