// Weights and biases of one unit, rounded.
#include <algorithm>
#include <cmath>

#include "device-runtime/quant/graph/build.h"
#include "device-runtime/tensor/packing.h"

namespace ferry::quant {
namespace {

constexpr int64_t kBlockOf4Bits = 64;
constexpr int64_t kLeastSum = 16;  // products of fewer weights keep 8 bits
// Biases stay below this many of their own steps, so that integer sums have room beside them.
constexpr double kMaxBiasSteps = 1 << 30;

bool IsOne(const ir::Node& node, const char* key) {
  const float* value = node.Find<float>(key);
  return value == nullptr || *value == 1.0f;
}

}  // namespace

Builder::Builder(const Prepared& prepared, const Options& options)
    : prepared_(prepared), options_(options) {}

WeightForm Builder::WeightFormOf(size_t u, Form form) const {
  const Unit& unit = prepared_.units[u];
  const ir::Graph& graph = prepared_.graph;
  const ir::Node& node = graph.nodes[static_cast<size_t>(unit.node)];
  const tensor::Shape& shape =
      graph.values[node.inputs[static_cast<size_t>(unit.weight)]].constant->shape();
  const WeightAxes axes = AxesOf(graph, unit);
  const bool only_weights = form == Form::kWeight4 || form == Form::kWeight8;
  WeightForm out;
  // Tables have no sums: a scale a row whatever the options say of channels.
  if (options_.per_channel || unit.kind == Kind::kTable) out.axis = axes.channel;
  if (!only_weights) return out;
  const int64_t summed = axes.summed < 0 ? 1 : shape[axes.summed];
  const int64_t channels = axes.channel < 0 ? 1 : std::max<int64_t>(1, shape[axes.channel]);
  const bool is_coarse = form == Form::kWeight4 && shape.elements() / channels >= kLeastSum;
  const int64_t block =
      options_.block > 0 ? options_.block : (form == Form::kWeight4 ? kBlockOf4Bits : 0);
  out.dtype = is_coarse ? (options_.zero_points ? DType::kU4 : DType::kI4)
                        : (options_.zero_points ? DType::kU8 : DType::kI8);
  if (block > 0 && axes.summed >= 0 && summed > block) {
    out.axis = axes.summed;
    out.block = block;
  }
  return out;
}

const Tensor* Builder::BiasOf(size_t u) const {
  const Unit& unit = prepared_.units[u];
  const ir::Graph& graph = prepared_.graph;
  const ir::Node& node = graph.nodes[static_cast<size_t>(unit.node)];
  ir::ValueId id = ir::kNoValue;
  if (node.op == "MatMul") {
    if (unit.tail.empty()) return nullptr;
    const ir::Node& add = graph.nodes[static_cast<size_t>(unit.tail[0])];
    if (add.op != "Add") return nullptr;
    id = add.inputs[add.inputs[0] == node.outputs[0] ? 1 : 0];
  } else if (unit.kind == Kind::kLayer && node.HasInput(2)) {
    id = node.inputs[2];
  }
  if (!graph.IsConstant(id)) return nullptr;
  const Tensor& bias = *graph.values[id].constant;
  return bias.dtype() == DType::kF32 && bias.shape().rank() == 1 ? &bias : nullptr;
}

Result<Builder::Rounded> Builder::Round(size_t u, Form form) {
  const Unit& unit = prepared_.units[u];
  const ir::Graph& graph = prepared_.graph;
  const ir::Node& node = graph.nodes[static_cast<size_t>(unit.node)];
  const Tensor& weights = *graph.values[node.inputs[static_cast<size_t>(unit.weight)]].constant;
  const WeightForm shape = WeightFormOf(u, form);
  std::vector<double> least;
  const Tensor* bias = BiasOf(u);
  if (form == Form::kInt8 && bias != nullptr && prepared_.affines[unit.inputs[0]]) {
    const double step = prepared_.affines[unit.inputs[0]]->scale;
    const int64_t count = shape.axis < 0 ? 1 : weights.shape()[shape.axis];
    least.assign(static_cast<size_t>(count), 0.0);
    for (int64_t i = 0; i < bias->elements(); ++i) {
      double& at = least[static_cast<size_t>(i % count)];
      at = std::max(at, std::fabs(bias->Number(i)) / (step * kMaxBiasSteps));
    }
  }
  Rounded out;
  FERRY_ASSIGN_OR_RETURN(out.weight, QuantizeWeight(weights, shape, least));
  if (unit.kind == Kind::kLayer) FERRY_TRY(RoundBias(u, form, weights, out));
  return out;
}

Status Builder::RoundBias(size_t u, Form form, const Tensor& weights, Rounded& out) {
  const Unit& unit = prepared_.units[u];
  const ir::Node& node = prepared_.graph.nodes[static_cast<size_t>(unit.node)];
  const Tensor* bias = BiasOf(u);
  const auto means = prepared_.means.find(unit.inputs[0]);
  std::vector<double> shift;
  if (options_.correct_bias && means != prepared_.means.end()) {
    FERRY_ASSIGN_OR_RETURN(const Tensor rounded, Dequantized(out.weight));
    shift = MeanShift(node, weights, rounded, means->second);
  }
  const bool can_add = (node.op == "Conv" || node.op == "Gemm") && !node.HasInput(2);
  const bool fits = bias != nullptr && bias->elements() == static_cast<int64_t>(shift.size());
  if (!shift.empty() && IsOne(node, "alpha") && IsOne(node, "beta") && (fits || can_add)) {
    const auto count = static_cast<int64_t>(shift.size());
    FERRY_ASSIGN_OR_RETURN(Tensor corrected, Tensor::Allocate(DType::kF32, {count}));
    for (int64_t i = 0; i < count; ++i) {
      corrected.SetNumber(i, (fits ? bias->Number(i) : 0.0) - shift[static_cast<size_t>(i)]);
    }
    out.float_bias = std::move(corrected);
    bias = &*out.float_bias;
  }
  const bool is_integer = form == Form::kInt8 && node.op != "MatMul" && bias != nullptr &&
                          IsOne(node, "alpha") && IsOne(node, "beta") &&
                          prepared_.affines[unit.inputs[0]];
  if (!is_integer) return OkStatus();
  const auto scales = out.weight.scales.data<float>();
  const float step = prepared_.affines[unit.inputs[0]]->scale;
  const size_t count = scales.size() == 1 ? 1 : static_cast<size_t>(bias->elements());
  for (size_t i = 0; i < count; ++i) out.bias_scales.push_back(step * scales[i % scales.size()]);
  FERRY_ASSIGN_OR_RETURN(out.bias, QuantizeBias(*bias, out.bias_scales));
  return OkStatus();
}

Result<const Builder::Rounded*> Builder::RoundedOf(size_t unit, Form form) {
  const auto known = rounded_.find({unit, form});
  if (known != rounded_.end()) return &known->second;
  const Unit& what = prepared_.units[unit];
  auto rounded = Round(unit, form);
  if (!rounded.ok()) {
    return rounded.status().Context(
        "{}", ir::NodeText(prepared_.graph.nodes[static_cast<size_t>(what.node)]));
  }
  return &rounded_.emplace(std::pair(unit, form), *std::move(rounded)).first->second;
}

Result<int64_t> Builder::WeightBytes(size_t u, Form form) {
  const Unit& unit = prepared_.units[u];
  if (unit.weight < 0) return 0;
  const ir::Node& node = prepared_.graph.nodes[static_cast<size_t>(unit.node)];
  const Tensor* bias = BiasOf(u);
  const int64_t bias_bytes = bias == nullptr ? 0 : bias->size_bytes();
  if (form == Form::kFloat) {
    const ir::ValueId id = node.inputs[static_cast<size_t>(unit.weight)];
    return prepared_.graph.values[id].constant->size_bytes() + bias_bytes;
  }
  FERRY_ASSIGN_OR_RETURN(const Rounded* rounded, RoundedOf(u, form));
  return FileBytes(rounded->weight) + bias_bytes;
}

}  // namespace ferry::quant
