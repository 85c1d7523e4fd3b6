// Makes the nodes that compute with integer sums.
#include <algorithm>
#include <cmath>

#include "device-runtime/ops/onnx_types.h"
#include "device-runtime/passes/quantized/sums.h"

namespace ferry::passes {
namespace {

using ir::DType;
using ir::Node;
using ir::Tensor;

// The last scale that a sum is divided by before it is rounded.
double FirstScale(const QuantResult& r) {
  if (r.first) return static_cast<double>(r.first->scale);
  return r.y ? static_cast<double>(r.y->scale) : 1.0;
}

// Whether `values` are all whole (within what float32 factors can tell) and fit a sum.
bool AreWhole(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double v) {
    return std::abs(v) < 0x1p30 && std::abs(v - std::nearbyint(v)) <= 1e-3 + std::abs(v) * 1e-6;
  });
}

bool AreFinite(const Tensor& list) {
  for (float x : list.data<float>()) {
    if (!std::isfinite(x)) return false;
  }
  return true;
}

struct Numbers {
  Tensor factor;
  std::optional<Tensor> bias, offset;
};

Result<Numbers> NumbersOf(const QuantProduct& p, const QuantResult& r) {
  const auto columns = static_cast<int64_t>(p.scale.size());
  Numbers n;
  FERRY_ASSIGN_OR_RETURN(n.factor, Tensor::Allocate(DType::kF32, {columns}));
  std::vector<double> bias;
  for (int64_t c = 0; c < columns; ++c) {
    const double unit =
        static_cast<double>(p.x.quantization.scale) * p.scale[static_cast<size_t>(c)];
    n.factor.SetNumber(c, unit / FirstScale(r));
    if (p.bias) bias.push_back(unit == 0 ? p.bias->Number(c) : p.bias->Number(c) / unit);
  }
  if (!p.bias) return n;
  const bool has_unit = std::ranges::none_of(p.scale, [](double s) { return s == 0; });
  if (has_unit && AreWhole(bias)) {  // as quantized files store it: part of the exact sum
    FERRY_ASSIGN_OR_RETURN(n.bias, Tensor::Allocate(DType::kI32, {columns}));
    for (int64_t c = 0; c < columns; ++c) {
      n.bias->SetInteger(c, static_cast<int64_t>(std::nearbyint(bias[static_cast<size_t>(c)])));
    }
    return n;
  }
  FERRY_ASSIGN_OR_RETURN(n.offset, Tensor::Allocate(DType::kF32, {columns}));
  for (int64_t c = 0; c < columns; ++c) n.offset->SetNumber(c, p.bias->Number(c) / FirstScale(r));
  return n;
}

// Bounds in front of a quantization as whole steps from its zero point.
Bounds Steps(const Quantization& q, const Bounds& b) {
  const double lowest = q.lowest() - q.zero, highest = q.highest() - q.zero;
  auto step = [&](float x) {
    const double s = std::nearbyint(static_cast<double>(x / q.scale));
    return static_cast<float>(std::clamp(s, lowest, highest));
  };
  return {step(b.low), step(b.high)};
}

}  // namespace

void SetResult(const QuantResult& r, int32_t x_zero, Node& node) {
  node.attributes["x_zero"] = int64_t{x_zero};
  node.attributes["y_type"] = ops::OnnxOfDType(r.y ? r.y->dtype : DType::kF32);
  node.attributes["y_zero"] = int64_t{r.y ? r.y->zero : 0};
  const Bounds last = r.y ? Steps(*r.y, r.bounds) : r.bounds;
  node.attributes["low"] = last.low;
  node.attributes["high"] = last.high;
}

Result<std::optional<Node>> SumNode(ir::Graph& graph, const QuantProduct& p, const QuantResult& r,
                                    ir::ValueId output) {
  const std::optional<Node> none;
  FERRY_ASSIGN_OR_RETURN(Numbers numbers, NumbersOf(p, r));
  if (!AreFinite(numbers.factor) || (numbers.offset && !AreFinite(*numbers.offset))) return none;
  const Node& from = graph.nodes[static_cast<size_t>(p.node)];
  Node node;
  node.op = from.op == "Conv" ? "QConv" : "QMatMul";
  node.name = from.name;
  node.version = from.version;
  for (const char* key : {"strides", "pads", "dilations", "group", "auto_pad"}) {
    const auto it = from.attributes.find(key);
    if (it != from.attributes.end() && node.op == "QConv") node.attributes[key] = it->second;
  }
  SetResult(r, p.x.quantization.zero, node);
  if (r.add) {
    const double y = static_cast<double>(r.y->scale);
    node.attributes["add_zero"] = static_cast<float>(r.add->quantization.zero);
    node.attributes["add_factor"] =
        static_cast<float>(static_cast<double>(r.add->quantization.scale) / y);
    if (r.first) {
      const Bounds first = Steps(*r.first, p.bounds);
      node.attributes["first_low"] = first.low;
      node.attributes["first_high"] = first.high;
      node.attributes["first_factor"] = static_cast<float>(static_cast<double>(r.first->scale) / y);
    }
  }
  auto constant = [&](std::optional<Tensor>& list) {
    return list ? AddConstant(graph, 's', *std::move(list)) : ir::kNoValue;
  };
  const ir::ValueId weights = AddConstant(graph, 's', p.weights);
  std::optional<Tensor> factor = std::move(numbers.factor);
  const ir::ValueId factor_id = constant(factor);
  const ir::ValueId bias = constant(numbers.bias);
  const ir::ValueId offset = constant(numbers.offset);
  node.inputs = {p.x.id, weights, factor_id, bias, offset, r.add ? r.add->id : ir::kNoValue};
  node.outputs = {output};
  return std::optional<Node>(std::move(node));
}

}  // namespace ferry::passes
