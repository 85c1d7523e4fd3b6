// Products whose left side is quantized by numbers of the run (DynamicQuantizeLinear): integer
// sums, then float32 times both scales. What follows joins into one map.
#include <cmath>

#include "device-runtime/ops/onnx_types.h"
#include "device-runtime/passes/graph_pass.h"
#include "device-runtime/passes/quantized/sums.h"

namespace ferry::passes {
namespace {

using ir::DType;
using ir::Node;
using ir::Tensor;
using ir::ValueId;

class FuseDynamicSumsPass {
 public:
  explicit FuseDynamicSumsPass(Graph& graph) : graph_(graph), links_(graph) {}

  Result<int> Run() {
    std::vector<Node> nodes;
    int fused = 0;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      FERRY_ASSIGN_OR_RETURN(const bool made, OneNode(static_cast<int>(i), nodes));
      if (!made) nodes.push_back(graph_.nodes[i]);
      fused += made ? 1 : 0;
    }
    graph_.nodes = std::move(nodes);
    return fused;
  }

 private:
  ir::Shape ShapeOf(ValueId id) const {
    return graph_.values[id].FixedShape().value_or(ir::Shape());
  }
  bool IsOne(ValueId id, DType dtype) const {
    return graph_.values[id].dtype == dtype && ShapeOf(id).elements() == 1 &&
           ShapeOf(id).rank() <= 1;
  }

  // The DequantizeLinear of one scale and one zero point that makes `id`, or null.
  const Node* Dequantize(ValueId id) const {
    const int maker = links_.Maker(id);
    if (maker < 0) return nullptr;
    const Node& node = graph_.nodes[static_cast<size_t>(maker)];
    if (node.op != "DequantizeLinear" || graph_.values[id].dtype != DType::kF32) return nullptr;
    const auto type = graph_.values[node.inputs[0]].dtype;
    if (type != DType::kU8 && type != DType::kI8) return nullptr;
    if (graph_.IsConstant(node.inputs[0]) || !IsOne(node.inputs[1], DType::kF32)) return nullptr;
    return !node.HasInput(2) || IsOne(node.inputs[2], *type) ? &node : nullptr;
  }

  // One number for each column, so that it broadcasts to the product.
  Result<ValueId> Column(Tensor list, int rank, bool is_conv) {
    std::vector<int64_t> dims(static_cast<size_t>(rank), 1);
    dims[is_conv ? 1 : static_cast<size_t>(rank - 1)] = list.elements();
    FERRY_ASSIGN_OR_RETURN(const ir::Shape shape, ir::Shape::Make(dims));
    FERRY_ASSIGN_OR_RETURN(Tensor laid, list.Reshaped(shape));
    return AddConstant(graph_, 'd', std::move(laid));
  }

  Result<bool> OneNode(int index, std::vector<Node>& nodes) {
    const Node from = graph_.nodes[static_cast<size_t>(index)];
    const Node* dequantize = from.inputs.empty() || from.inputs[0] == ir::kNoValue
                                 ? nullptr
                                 : Dequantize(from.inputs[0]);
    if (dequantize == nullptr) return false;
    FERRY_ASSIGN_OR_RETURN(auto product, WeightsOf(graph_, links_, index));
    if (!product) return false;
    const ir::Shape shape = ShapeOf(from.outputs[0]);
    if (shape.rank() == 0 || shape.elements() == 0) return false;
    const bool is_conv = from.op == "Conv";
    Node sum;
    sum.op = is_conv ? "QConv" : "QMatMul";
    sum.name = from.name;
    for (const char* key : {"strides", "pads", "dilations", "group", "auto_pad"}) {
      const auto it = from.attributes.find(key);
      if (is_conv && it != from.attributes.end()) sum.attributes[key] = it->second;
    }
    sum.attributes["y_type"] = ops::OnnxOfDType(DType::kI32);
    sum.inputs = {dequantize->inputs[0], AddConstant(graph_, 'd', product->weights)};
    if (dequantize->HasInput(2)) {
      sum.inputs.resize(6, ir::kNoValue);
      sum.inputs.push_back(dequantize->inputs[2]);
    }
    const ValueId whole = AddTyped(graph_, 'd', DType::kI32, shape);
    sum.outputs = {whole};
    nodes.push_back(std::move(sum));
    FERRY_TRY(Behind(from, *product, dequantize->inputs[1], whole, shape, nodes));
    return true;
  }

  // y = clip(float(sum) * (scale of x * scales of the columns) + bias)
  Status Behind(const Node& from, const QuantProduct& product, ValueId x_scale, ValueId whole,
                const ir::Shape& shape, std::vector<Node>& nodes) {
    const bool is_conv = from.op == "Conv";
    const bool clips = std::isfinite(product.bounds.low) || std::isfinite(product.bounds.high);
    const auto columns = static_cast<int64_t>(product.scale.size());
    auto emit = [&](const char* op, std::vector<ValueId> inputs, ValueId output) -> Node& {
      Node node;
      node.op = op;
      node.name = from.name;
      node.inputs = std::move(inputs);
      node.outputs = {output};
      nodes.push_back(std::move(node));
      return nodes.back();
    };
    FERRY_ASSIGN_OR_RETURN(Tensor scales, Tensor::Allocate(DType::kF32, {columns}));
    for (int64_t c = 0; c < columns; ++c) {
      scales.SetNumber(c, product.scale[static_cast<size_t>(c)]);
    }
    FERRY_ASSIGN_OR_RETURN(const ValueId column, Column(scales, shape.rank(), is_conv));
    const ValueId factor = AddTyped(graph_, 'd', DType::kF32, ShapeOf(column));
    emit("Mul", {column, x_scale}, factor);
    const ValueId wide = AddTyped(graph_, 'd', DType::kF32, shape);
    emit("Cast", {whole}, wide).attributes["to"] = ops::OnnxOfDType(DType::kF32);
    const bool adds = product.bias != nullptr;
    ValueId y = adds || clips ? AddTyped(graph_, 'd', DType::kF32, shape) : from.outputs[0];
    emit("Mul", {wide, factor}, y);
    if (adds) {
      FERRY_ASSIGN_OR_RETURN(const ValueId bias, Column(*product.bias, shape.rank(), is_conv));
      const ValueId to = clips ? AddTyped(graph_, 'd', DType::kF32, shape) : from.outputs[0];
      emit("Add", {y, bias}, to);
      y = to;
    }
    if (clips) {
      Node& clip = emit("Clip", {y}, from.outputs[0]);
      clip.attributes["min"] = product.bounds.low;
      clip.attributes["max"] = product.bounds.high;
    }
    return OkStatus();
  }

  Graph& graph_;
  const Links links_;
};

}  // namespace

Result<int> FuseDynamicSums(Graph& graph) {
  return FuseDynamicSumsPass(graph).Run();
}

}  // namespace ferry::passes
