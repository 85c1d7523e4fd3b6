// Ranges of values that only saturating activations read: what lies where these are flat needs no
// steps of its own.
#include <algorithm>
#include <cmath>

#include "device-runtime/quant/calibrate/prepare.h"

namespace ferry::quant {
namespace {

using ir::Graph;
using ir::Node;
using ir::ValueId;

// Where an activation is flat to within a thousandth or two of its outputs.
constexpr double kSigmoid = 7, kTanh = 4, kSilu = -8, kGelu = -4;

struct Limits {
  double low = -HUGE_VAL, high = HUGE_VAL;
};

double Number(const Node& node, const char* key, double otherwise) {
  const float* value = node.Find<float>(key);
  return value == nullptr ? otherwise : *value;
}

// A bound of Clip, if it is a constant.
double Bound(const Graph& graph, const Node& node, size_t input, double otherwise) {
  if (!node.HasInput(input)) return otherwise;
  if (!graph.IsConstant(node.inputs[input])) return otherwise;
  const Tensor& bound = *graph.values[node.inputs[input]].constant;
  return bound.elements() == 1 && tensor::IsFloat(bound.dtype()) ? bound.Number(0) : otherwise;
}

// Beyond which inputs the node's outputs hardly change.
Limits LimitsOf(const Graph& graph, const Node& node) {
  if (node.op == "Relu") return {0, HUGE_VAL};
  if (node.op == "HardSwish") return {-3, HUGE_VAL};
  if (node.op == "Sigmoid") return {-kSigmoid, kSigmoid};
  if (node.op == "Tanh") return {-kTanh, kTanh};
  if (node.op == "Gelu") return {kGelu, HUGE_VAL};
  if (node.op == "Clip" && node.inputs.size() > 1) {
    return {Bound(graph, node, 1, -HUGE_VAL), Bound(graph, node, 2, HUGE_VAL)};
  }
  const double alpha = Number(node, "alpha", 0.2), beta = Number(node, "beta", 0.5);
  if (node.op == "HardSigmoid" && alpha > 0) return {-beta / alpha, (1 - beta) / alpha};
  return {};
}

}  // namespace

void SaturateRanges(const Graph& graph, ValueRanges& ranges) {
  const std::vector<int> producers = graph.Producers();
  std::vector<Limits> wide(graph.values.size(), {HUGE_VAL, -HUGE_VAL});  // what readers need
  const auto need = [&](ValueId id, const Limits& limits) {
    wide[id].low = std::min(wide[id].low, limits.low);
    wide[id].high = std::max(wide[id].high, limits.high);
  };
  for (const Node& node : graph.nodes) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      if (id == ir::kNoValue) continue;
      // x * sigmoid(x), read as x by the product.
      const ValueId other = node.op == "Mul" && node.inputs.size() == 2 ? node.inputs[1 - i] : -1;
      const int from = other < 0 ? -1 : producers[other];
      const Node* gate = from < 0 ? nullptr : &graph.nodes[static_cast<size_t>(from)];
      if (gate != nullptr && gate->op == "Sigmoid" && gate->inputs[0] == id) {
        need(id, {kSilu, HUGE_VAL});
      } else {
        need(id, i == 0 ? LimitsOf(graph, node) : Limits{});
      }
    }
  }
  for (ValueId id : graph.outputs) need(id, {});
  for (size_t id = 0; id < ranges.size(); ++id) {
    if (!ranges[id] || wide[id].low > wide[id].high) continue;
    auto& [low, high] = *ranges[id];
    low = std::min(0.0, std::max(low, wide[id].low));
    high = std::max(0.0, std::min(high, wide[id].high));
  }
}

}  // namespace ferry::quant
