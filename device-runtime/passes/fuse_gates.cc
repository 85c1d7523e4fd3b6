#include <cmath>

#include "device-runtime/passes/graph_pass.h"

namespace ferry::passes {
namespace {

// What x times the output of `gate` is, or "".
std::string Gated(const ir::Node& gate) {
  if (gate.op == "Sigmoid") return "Silu";
  if (gate.op != "HardSigmoid") return "";
  const float* alpha = gate.Find<float>("alpha");
  const float* beta = gate.Find<float>("beta");
  const bool is_swish =
      alpha != nullptr && std::abs(*alpha - 1.0f / 6) < 1e-6f && (beta == nullptr || *beta == 0.5f);
  return is_swish ? "HardSwish" : "";
}

}  // namespace

Result<int> FuseGates(Graph& graph) {
  const std::vector<int> producers = graph.Producers();
  int fused = 0;
  for (ir::Node& node : graph.nodes) {
    if (node.op != "Mul" || node.inputs.size() != 2) continue;
    for (size_t side = 0; side < 2; ++side) {
      const int producer = producers[node.inputs[side]];
      const ir::ValueId other = node.inputs[1 - side];
      if (producer < 0 || graph.nodes[producer].inputs[0] != other) continue;
      std::string gated = Gated(graph.nodes[producer]);
      if (gated.empty()) continue;
      node.op = std::move(gated);
      node.inputs = {other};
      node.attributes.clear();
      ++fused;
      break;
    }
  }
  return fused;  // the gates that nobody reads any more go with the dead nodes
}

}  // namespace ferry::passes
