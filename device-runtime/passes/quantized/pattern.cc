#include "device-runtime/passes/quantized/pattern.h"

#include <cmath>

namespace ferry::passes {
namespace {

using ir::DType;

const ir::Tensor* OneNumber(const ir::Graph& graph, const ir::Node& node, size_t input) {
  if (!node.HasInput(input) || !graph.IsConstant(node.inputs[input])) return nullptr;
  const ir::Tensor& t = *graph.values[node.inputs[input]].constant;
  return t.elements() == 1 && t.shape().rank() <= 1 ? &t : nullptr;
}

bool HasType(const ir::Node& node, const char* key, int64_t type) {
  const int64_t* given = node.Find<int64_t>(key);
  return given == nullptr || *given == 0 || *given == type;
}

}  // namespace

std::optional<Quantization> QuantizationOf(const ir::Graph& graph, const ir::Node& node) {
  constexpr int64_t kOnnxFloat = 1;
  const bool down = node.op == "QuantizeLinear";
  if (!down && node.op != "DequantizeLinear") return std::nullopt;
  if (!HasType(node, "precision", kOnnxFloat) || !HasType(node, "block_size", 0)) {
    return std::nullopt;
  }
  const ir::Tensor* scale = OneNumber(graph, node, 1);
  if (scale == nullptr || scale->dtype() != DType::kF32) return std::nullopt;
  Quantization q;
  q.scale = static_cast<float>(scale->Number(0));
  if (!std::isfinite(q.scale) || q.scale <= 0) return std::nullopt;
  const ir::Value& wide = graph.values[down ? node.inputs[0] : node.outputs[0]];
  const ir::Value& narrow = graph.values[down ? node.outputs[0] : node.inputs[0]];
  if (wide.dtype != DType::kF32 || !narrow.dtype) return std::nullopt;
  q.dtype = *narrow.dtype;
  if (q.dtype != DType::kU8 && q.dtype != DType::kI8) return std::nullopt;
  if (!node.HasInput(2)) return q;
  const ir::Tensor* zero = OneNumber(graph, node, 2);
  if (zero == nullptr || zero->dtype() != q.dtype) return std::nullopt;
  q.zero = static_cast<int32_t>(zero->Integer(0));
  return q;
}

std::optional<Links::Source> Links::Dequantized(ir::ValueId id) const {
  const int maker = Maker(id);
  if (maker < 0) return std::nullopt;
  const ir::Node& node = graph_.nodes[static_cast<size_t>(maker)];
  if (node.op != "DequantizeLinear" || graph_.IsConstant(node.inputs[0])) return std::nullopt;
  const auto q = QuantizationOf(graph_, node);
  if (!q) return std::nullopt;
  return Source{node.inputs[0], *q};
}

std::string NewName(const ir::Graph& graph, char stem) {
  return fmt::format("~{}{}", stem, graph.values.size());
}

ir::ValueId AddTyped(ir::Graph& graph, char stem, DType dtype, const ir::Shape& shape) {
  const ir::ValueId id = graph.AddValue(NewName(graph, stem));
  ir::Value& value = graph.values[id];
  value.dtype = dtype;
  value.dims.emplace();
  for (int64_t extent : shape.dims()) value.dims->push_back({extent, ""});
  return id;
}

ir::ValueId AddConstant(ir::Graph& graph, char stem, ir::Tensor tensor) {
  return graph.AddConstant(NewName(graph, stem), std::move(tensor));
}

}  // namespace ferry::passes
