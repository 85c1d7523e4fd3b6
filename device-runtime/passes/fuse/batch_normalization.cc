#include <cmath>

#include "device-runtime/passes/graph_pass.h"

namespace ferry::passes {
namespace {

bool ConstantFactors(const Graph& graph, const ir::Node& bn, int64_t channels) {
  const int64_t* training = bn.Find<int64_t>("training_mode");
  if (training != nullptr && *training != 0) return false;  // its shape rule refuses it
  for (size_t i = 1; i < 5; ++i) {
    if (!graph.IsConstant(bn.inputs[i])) return false;
    const tensor::Tensor& t = *graph.values[bn.inputs[i]].constant;
    if (t.dtype() != tensor::DType::kF32 || t.elements() != channels) return false;
  }
  return true;
}

bool IsPlainConv(const Graph& graph, const ir::Node& conv) {
  if (conv.op != "Conv" || conv.HasInput(3) || conv.attributes.contains("activation")) return false;
  if (!graph.IsConstant(conv.inputs[1])) return false;
  const tensor::Tensor& w = *graph.values[conv.inputs[1]].constant;
  if (w.dtype() != tensor::DType::kF32 || w.shape().rank() < 3 || w.shape()[0] == 0) return false;
  if (!conv.HasInput(2)) return true;
  return graph.IsConstant(conv.inputs[2]) &&
         graph.values[conv.inputs[2]].constant->dtype() == tensor::DType::kF32 &&
         graph.values[conv.inputs[2]].constant->elements() == w.shape()[0];
}

// w' = w * s, b' = (b - mean) * s + shift with s = scale / sqrt(var + epsilon); in double.
Status Fuse(Graph& graph, ir::Node& conv, const ir::Node& bn) {
  auto factor = [&](size_t i, int64_t channel) {
    return graph.values[bn.inputs[i]].constant->Number(channel);
  };
  const tensor::Tensor& w = *graph.values[conv.inputs[1]].constant;
  const float* epsilon = bn.Find<float>("epsilon");
  FERRY_ASSIGN_OR_RETURN(tensor::Tensor weights, tensor::Tensor::Allocate(w.dtype(), w.shape()));
  FERRY_ASSIGN_OR_RETURN(tensor::Tensor bias, tensor::Tensor::Allocate(w.dtype(), {w.shape()[0]}));
  const int64_t each = w.elements() / w.shape()[0];
  for (int64_t channel = 0; channel < w.shape()[0]; ++channel) {
    const double s =
        factor(1, channel) / std::sqrt(factor(4, channel) + (epsilon ? *epsilon : 1e-5f));
    const double before =
        conv.HasInput(2) ? graph.values[conv.inputs[2]].constant->Number(channel) : 0.0;
    bias.SetNumber(channel, (before - factor(3, channel)) * s + factor(2, channel));
    for (int64_t i = channel * each; i < (channel + 1) * each; ++i) {
      weights.SetNumber(i, w.Number(i) * s);
    }
  }
  const std::string weight_name = graph.FreshName(graph.values[conv.inputs[1]].name + ".bn");
  const ir::ValueId weight_id = graph.AddConstant(weight_name, std::move(weights));
  const std::string bias_name = graph.FreshName(weight_name + ".bias");
  const ir::ValueId bias_id = graph.AddConstant(bias_name, std::move(bias));
  conv.inputs = {conv.inputs[0], weight_id, bias_id};
  conv.outputs = bn.outputs;
  return OkStatus();
}

}  // namespace

Result<int> FuseBatchNormalization(Graph& graph) {
  const std::vector<int> producers = graph.Producers();
  const std::vector<int> uses = graph.UseCounts();
  std::vector<bool> gone(graph.nodes.size(), false);
  int fused = 0;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    ir::Node& bn = graph.nodes[i];
    if (bn.op != "BatchNormalization" || bn.outputs.size() != 1) continue;
    const int producer = producers[bn.inputs[0]];
    if (producer < 0 || uses[bn.inputs[0]] != 1) continue;
    ir::Node& conv = graph.nodes[producer];
    if (!IsPlainConv(graph, conv)) continue;
    const int64_t channels = graph.values[conv.inputs[1]].constant->shape()[0];
    if (!ConstantFactors(graph, bn, channels)) continue;
    FERRY_TRY(Fuse(graph, conv, bn));
    gone[i] = true;
    ++fused;
  }
  KeepNodes(graph, gone);
  return fused;
}

}  // namespace ferry::passes
