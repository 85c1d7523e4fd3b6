#include <algorithm>
#include <cmath>

#include "device-runtime/quant/calibrate/prepare.h"

namespace ferry::quant {
namespace {

using ir::Graph;
using ir::Node;
using ir::ValueId;

constexpr double kMostFactor = 1e4;  // of a channel

// A convolution with f32 constants: weights and, if any, bias.
bool IsConv(const Graph& graph, const Node& node) {
  if (node.op != "Conv" || node.inputs.size() < 2 || node.formal_inputs() > 3) return false;
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    const ValueId id = node.inputs[i];
    if (id == ir::kNoValue) continue;
    if (!graph.IsConstant(id) || graph.values[id].constant->dtype() != DType::kF32) return false;
  }
  const tensor::Shape& shape = graph.values[node.inputs[1]].constant->shape();
  return shape.rank() >= 3 && shape.elements() > 0;
}

int64_t GroupsOf(const Node& node) {
  const int64_t* group = node.Find<int64_t>("group");
  return group == nullptr ? 1 : *group;
}

// Weights of a convolution seen as [outputs][inputs of a group][taps].
struct View {
  int64_t outputs, inputs, taps, groups;
  int64_t Channel(int64_t flat) const {  // of the input that a weight multiplies
    const int64_t output = flat / taps / inputs;
    return output / (outputs / groups) * inputs + flat / taps % inputs;
  }
};

bool ViewOf(const Graph& graph, const Node& conv, View& view) {
  const tensor::Shape& shape = graph.values[conv.inputs[1]].constant->shape();
  view = {shape[0], shape[1], shape.Product(2, shape.rank()), GroupsOf(conv)};
  return view.groups > 0 && view.outputs % view.groups == 0;
}

class Pair {
 public:
  Pair(Graph& graph, Node& first, Node& second) : graph_(graph), first_(first), second_(second) {}

  Result<bool> Run() {
    View a{}, b{};
    if (!ViewOf(graph_, first_, a) || !ViewOf(graph_, second_, b)) return false;
    if (b.inputs * b.groups != a.outputs) return false;
    const auto channels = static_cast<size_t>(a.outputs);
    std::vector<double> from(channels, 0.0), to(channels, 0.0), factor(channels, 1.0);
    const auto wa = Weights(first_).data<float>(), wb = Weights(second_).data<float>();
    for (size_t i = 0; i < wa.size(); ++i) {
      double& at = from[i / static_cast<size_t>(a.inputs * a.taps)];
      at = std::max<double>(at, std::fabs(wa[i]));
    }
    for (size_t i = 0; i < wb.size(); ++i) {
      double& at = to[static_cast<size_t>(b.Channel(static_cast<int64_t>(i)))];
      at = std::max<double>(at, std::fabs(wb[i]));
    }
    for (size_t c = 0; c < channels; ++c) {
      if (!(from[c] > 0) || !(to[c] > 0)) continue;
      factor[c] = std::clamp(std::sqrt(from[c] / to[c]), 1 / kMostFactor, kMostFactor);
    }
    FERRY_TRY(Scale(first_, 1, [&](int64_t i) {
      return 1 / factor[static_cast<size_t>(i / (a.inputs * a.taps))];
    }));
    if (first_.HasInput(2)) {
      FERRY_TRY(Scale(first_, 2, [&](int64_t i) { return 1 / factor[static_cast<size_t>(i)]; }));
    }
    FERRY_TRY(
        Scale(second_, 1, [&](int64_t i) { return factor[static_cast<size_t>(b.Channel(i))]; }));
    return true;
  }

 private:
  const Tensor& Weights(const Node& node) const { return *graph_.values[node.inputs[1]].constant; }

  template <typename F>
  Status Scale(Node& node, size_t input, const F& factor) {
    FERRY_ASSIGN_OR_RETURN(Tensor scaled, graph_.values[node.inputs[input]].constant->Clone());
    auto x = scaled.mutable_data<float>();
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<float>(x[i] * factor(static_cast<int64_t>(i)));
    }
    const std::string name = graph_.values[node.inputs[input]].name;
    node.inputs[input] = graph_.AddConstant(graph_.FreshName(name + ".equal"), std::move(scaled));
    return OkStatus();
  }

  Graph& graph_;
  Node& first_;
  Node& second_;
};

}  // namespace

Result<int> Equalize(Graph& graph) {
  const std::vector<int> uses = graph.UseCounts();
  const std::vector<int> producers = graph.Producers();
  int pairs = 0;
  for (Node& second : graph.nodes) {
    if (!IsConv(graph, second)) continue;
    ValueId value = second.inputs[0];
    int producer = value == ir::kNoValue ? -1 : producers[value];
    if (producer < 0 || uses[value] != 1) continue;
    const Node& between = graph.nodes[static_cast<size_t>(producer)];
    if (between.op == "Relu" || between.op == "LeakyRelu") {
      value = between.inputs[0];
      producer = producers[value];
      if (producer < 0 || uses[value] != 1) continue;
    }
    Node& first = graph.nodes[static_cast<size_t>(producer)];
    if (!IsConv(graph, first)) continue;
    FERRY_ASSIGN_OR_RETURN(const bool changed, Pair(graph, first, second).Run());
    pairs += changed;
  }
  graph.CompactValues();
  return pairs;
}

}  // namespace ferry::quant
