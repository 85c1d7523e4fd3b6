#include <algorithm>

#include "device-runtime/passes/graph_pass.h"

namespace ferry::passes {

// A graph output keeps its name: an Identity that makes one stays.
Result<int> RemoveIdentities(Graph& graph) {
  int removed = 0;
  std::vector<ir::ValueId> renamed(graph.values.size());
  for (size_t id = 0; id < renamed.size(); ++id) renamed[id] = static_cast<ir::ValueId>(id);
  std::vector<bool> is_output(graph.values.size(), false);
  for (ir::ValueId id : graph.outputs) is_output[id] = true;
  std::vector<ir::Node> kept;
  for (ir::Node& node : graph.nodes) {
    for (ir::ValueId& id : node.inputs) {
      if (id != ir::kNoValue) id = renamed[id];
    }
    // Dropout may train when it has a third input, or, before opset 7, an attribute.
    const bool old = node.version != 0 && node.version < 7;
    const bool renames = node.op == "Identity" || (node.op == "Dropout" && !node.HasInput(2) &&
                                                   node.outputs.size() == 1 && !old);
    if (renames && node.outputs[0] != ir::kNoValue && !is_output[node.outputs[0]]) {
      renamed[node.outputs[0]] = node.inputs[0];
      ++removed;
    } else {
      kept.push_back(std::move(node));
    }
  }
  graph.nodes = std::move(kept);
  return removed;
}

}  // namespace ferry::passes
