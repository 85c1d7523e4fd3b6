#include "device-runtime/passes/graph_pass.h"

namespace ferry::passes {
namespace {

bool CanTakeAddend(const Graph& graph, const ir::Node& node) {
  if (node.HasInput(3) || node.attributes.contains("activation")) return false;
  return node.op == "Conv" || node.op == "StoredMatMul" ||
         (node.op == "MatMul" &&
          graph.values[static_cast<size_t>(node.inputs[0])].dtype == ir::DType::kF32);
}

}  // namespace

// The convolution (or product) moves to where the Add stood: its addend may be made between the
// two.
Result<int> FuseResidual(Graph& graph) {
  const std::vector<int> producers = graph.Producers();
  const std::vector<int> uses = graph.UseCounts();
  std::vector<bool> gone(graph.nodes.size(), false);
  int fused = 0;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    ir::Node& add = graph.nodes[i];
    if (add.op != "Add") continue;
    const auto left = graph.values[add.inputs[0]].FixedShape();
    const auto right = graph.values[add.inputs[1]].FixedShape();
    if (!left || !right || *left != *right || left->elements() == 0) continue;
    // The later of two takes the other as its addend.
    int best = -1;
    ir::ValueId addend = ir::kNoValue;
    for (size_t side = 0; side < 2; ++side) {
      const ir::ValueId id = add.inputs[side];
      const int producer = producers[id];
      if (producer <= best || gone[producer] || uses[id] != 1) continue;
      if (!CanTakeAddend(graph, graph.nodes[producer])) continue;
      best = producer;
      addend = add.inputs[1 - side];
    }
    if (best < 0) continue;
    ir::Node conv = std::move(graph.nodes[best]);
    gone[best] = true;
    if (conv.inputs.size() < 4) conv.inputs.resize(4, ir::kNoValue);
    conv.inputs[3] = addend;
    conv.outputs = add.outputs;
    add = std::move(conv);
    ++fused;
  }
  KeepNodes(graph, gone);
  return fused;
}

}  // namespace ferry::passes
