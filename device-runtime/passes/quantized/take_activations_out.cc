// Undoes, for products of dequantized operands, what fusing activations did: the epilogue of an
// integer sum has clips only.
#include "device-runtime/passes/graph_pass.h"
#include "device-runtime/passes/quantized/pattern.h"

namespace ferry::passes {
namespace {

using ir::Node;

// The activation that a pass put behind a product as a node of its own, when it is no clip:
// epilogues of sums have none other.
std::optional<Node> TakenOut(Graph& graph, const Links& links, Node& product) {
  const auto* activation = product.Find<std::string>("activation");
  if (activation == nullptr || *activation == "Clip" || product.inputs.size() < 2) {
    return std::nullopt;
  }
  const int weights = links.Maker(product.inputs[1]);
  const auto shape = graph.values[product.outputs[0]].FixedShape();
  if (weights < 0 || !shape || !links.Dequantized(product.inputs[0]) ||
      graph.nodes[static_cast<size_t>(weights)].op != "DequantizeLinear") {
    return std::nullopt;
  }
  Node node;
  node.op = *activation;
  node.name = product.name;
  const auto* low = product.Find<float>("low");
  const auto* high = product.Find<float>("high");
  if (node.op == "HardSigmoid" || node.op == "LeakyRelu") {
    if (low == nullptr || (node.op == "HardSigmoid" && high == nullptr)) return std::nullopt;
    node.attributes["alpha"] = *low;
    if (node.op == "HardSigmoid") node.attributes["beta"] = *high;
  } else if (node.op != "HardSwish" && node.op != "Sigmoid" && node.op != "Silu" &&
             node.op != "Tanh") {
    return std::nullopt;
  }
  for (const char* key : {"activation", "low", "high"}) product.attributes.erase(key);
  node.outputs = product.outputs;
  product.outputs[0] = AddTyped(graph, 'a', ir::DType::kF32, *shape);
  node.inputs = {product.outputs[0]};
  return node;
}

}  // namespace

Result<int> TakeActivationsOut(Graph& graph) {
  const Links links(graph);
  std::vector<std::pair<size_t, Node>> behind;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    auto node = TakenOut(graph, links, graph.nodes[i]);
    if (node) behind.emplace_back(i, *std::move(node));
  }
  std::vector<Node> nodes;
  size_t next = 0;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    nodes.push_back(std::move(graph.nodes[i]));
    if (next < behind.size() && behind[next].first == i) {
      nodes.push_back(std::move(behind[next++].second));
    }
  }
  graph.nodes = std::move(nodes);
  return static_cast<int>(behind.size());
}

}  // namespace ferry::passes
