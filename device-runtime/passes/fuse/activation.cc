#include <limits>
#include <optional>

#include "device-runtime/passes/graph_pass.h"

namespace ferry::passes {
namespace {

struct Activation {
  std::string name;
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
};

float Number(const ir::Node& node, const char* key, float fallback) {
  const float* value = node.Find<float>(key);
  return value ? *value : fallback;
}

// A bound of Clip from its attribute or constant input; nullopt when it is not known.
std::optional<float> Bound(const Graph& graph, const ir::Node& node, size_t input, const char* key,
                           float fallback) {
  if (!node.HasInput(input)) return Number(node, key, fallback);
  if (!graph.IsConstant(node.inputs[input])) return std::nullopt;
  const tensor::Tensor& t = *graph.values[node.inputs[input]].constant;
  if (t.elements() != 1 || t.dtype() != tensor::DType::kF32) return std::nullopt;
  return static_cast<float>(t.Number(0));
}

std::optional<Activation> ActivationOf(const Graph& graph, const ir::Node& node) {
  Activation a;
  if (node.op == "Relu") {
    a.name = "Clip";
    a.low = 0;
  } else if (node.op == "Clip") {
    auto low = Bound(graph, node, 1, "min", a.low);
    auto high = Bound(graph, node, 2, "max", a.high);
    if (!low || !high) return std::nullopt;
    a = {"Clip", *low, *high};
  } else if (node.op == "HardSigmoid") {
    a = {node.op, Number(node, "alpha", 0.2f), Number(node, "beta", 0.5f)};
  } else if (node.op == "LeakyRelu") {
    a = {node.op, Number(node, "alpha", 0.01f), 0};
  } else if (node.op == "Gelu") {
    const std::string* approximate = node.Find<std::string>("approximate");
    if (approximate != nullptr && *approximate != "none") return std::nullopt;
    a = {node.op, 0, 0};
  } else if (node.op == "HardSwish" || node.op == "Sigmoid" || node.op == "Silu" ||
             node.op == "Tanh") {
    a = {node.op, 0, 0};
  } else {
    return std::nullopt;
  }
  return a;
}

// Products with weights take activations in f32 only.
bool CanActivate(const Graph& graph, const ir::Node& node) {
  if (node.attributes.contains("activation")) return false;
  if (node.op == "Conv" || node.op == "Gemm" || node.op == "StoredMatMul") return true;
  return node.op == "MatMul" && graph.IsConstant(node.inputs[1]) &&
         graph.values[static_cast<size_t>(node.inputs[1])].dtype == ir::DType::kF32;
}

}  // namespace

Result<int> FuseActivation(Graph& graph) {
  const std::vector<int> producers = graph.Producers();
  const std::vector<int> uses = graph.UseCounts();
  std::vector<bool> gone(graph.nodes.size(), false);
  int fused = 0;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    ir::Node& node = graph.nodes[i];
    if (node.inputs.empty() || node.inputs[0] == ir::kNoValue) continue;
    const int producer = producers[node.inputs[0]];
    if (producer < 0 || gone[producer] || uses[node.inputs[0]] != 1) continue;
    ir::Node& before = graph.nodes[producer];
    if (!CanActivate(graph, before)) continue;
    auto activation = ActivationOf(graph, node);
    if (!activation) continue;
    before.attributes["activation"] = activation->name;
    before.attributes["low"] = activation->low;
    before.attributes["high"] = activation->high;
    before.outputs = node.outputs;
    gone[i] = true;
    ++fused;
  }
  KeepNodes(graph, gone);
  return fused;
}

}  // namespace ferry::passes
