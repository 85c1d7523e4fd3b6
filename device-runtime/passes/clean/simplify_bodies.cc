#include "device-runtime/passes/graph_pass.h"

namespace ferry::passes {
namespace {

// Captured values that are constants become constants of the body, which `outer` loses.
void TakeConstants(const Graph& graph, Graph& body, std::vector<ir::ValueId>& outer) {
  const size_t first = body.inputs.size() - outer.size();
  std::vector<ir::ValueId> kept_inner, kept_outer;
  for (size_t i = 0; i < outer.size(); ++i) {
    const ir::ValueId inner = body.inputs[first + i];
    if (graph.IsConstant(outer[i])) {
      ir::Value& value = body.values[inner];
      value.kind = ir::ValueKind::kTensor;
      value.dtype = graph.values[outer[i]].dtype;
      value.dims = graph.values[outer[i]].dims;
      value.constant = graph.values[outer[i]].constant;
    } else {
      kept_inner.push_back(inner);
      kept_outer.push_back(outer[i]);
    }
  }
  body.inputs.resize(first);
  body.inputs.insert(body.inputs.end(), kept_inner.begin(), kept_inner.end());
  outer = std::move(kept_outer);
}

// Captured values that nothing reads go.
void DropUnread(Graph& body, std::vector<ir::ValueId>& outer) {
  const std::vector<int> uses = body.UseCounts();
  const size_t first = body.inputs.size() - outer.size();
  size_t kept = 0;
  for (size_t i = 0; i < outer.size(); ++i) {
    if (uses[body.inputs[first + i]] == 0) continue;
    body.inputs[first + kept] = body.inputs[first + i];
    outer[kept++] = outer[i];
  }
  body.inputs.resize(first + kept);
  outer.resize(kept);
  body.CompactValues();
}

Result<int> SimplifyBody(const Graph& graph, Graph& body, std::vector<ir::ValueId>& outer) {
  const size_t captured = outer.size();
  TakeConstants(graph, body, outer);
  // Nothing that makes tensors: what folding may take is counted for one graph. Bodies are folded
  // and fused when they are planned.
  FERRY_ASSIGN_OR_RETURN(int changes, RemoveIdentities(body));
  for (auto* pass : {SimplifyBodies, RemoveDead}) {
    FERRY_ASSIGN_OR_RETURN(int more, pass(body));
    changes += more;
  }
  DropUnread(body, outer);
  body.captured = static_cast<int>(outer.size());
  return changes + static_cast<int>(captured - outer.size());
}

}  // namespace

Result<int> SimplifyBodies(Graph& graph) {
  int changes = 0;
  for (ir::Node& node : graph.nodes) {
    auto next = node.inputs.begin() + node.formal_inputs();
    std::vector<ir::ValueId> captured;
    bool has_bodies = false;
    for (auto& [key, attribute] : node.attributes) {
      auto* subgraph = std::get_if<ir::Subgraph>(&attribute);
      if (subgraph == nullptr) continue;
      has_bodies = true;
      Graph body = **subgraph;
      std::vector<ir::ValueId> outer(next, next + body.captured);
      next += body.captured;
      FERRY_ASSIGN_OR_RETURN(int changed, SimplifyBody(graph, body, outer));
      captured.insert(captured.end(), outer.begin(), outer.end());
      if (changed > 0) *subgraph = std::make_shared<const Graph>(std::move(body));
      changes += changed;
    }
    if (!has_bodies) continue;
    node.inputs.resize(static_cast<size_t>(node.formal_inputs()));
    node.inputs.insert(node.inputs.end(), captured.begin(), captured.end());
    node.captured = static_cast<int>(captured.size());
  }
  return changes;
}

}  // namespace ferry::passes
