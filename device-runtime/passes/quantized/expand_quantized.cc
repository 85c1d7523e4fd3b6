// The operators of ONNX's QOperator form (QLinearConv, QLinearMatMul, QLinearAdd) as float
// operators between DequantizeLinear and QuantizeLinear, the one form that the other passes read;
// ConvInteger and MatMulInteger with constant weights as the sums that kernels compute. What has
// operands that are not constant stays, and expands as its operator says.
#include <map>
#include <set>

#include "device-runtime/ops/onnx_types.h"
#include "device-runtime/passes/graph_pass.h"
#include "device-runtime/passes/quantized/pattern.h"

namespace ferry::passes {
namespace {

using ir::DType;
using ir::Node;
using ir::Tensor;
using ir::ValueId;

class Expander {
 public:
  explicit Expander(Graph& graph) : graph_(graph) {
    for (const Node& node : graph.nodes) {
      if (node.op == "DynamicQuantizeLinear" && node.outputs.size() > 2) {
        dynamic_zeros_.insert(node.outputs[2]);
      }
    }
  }

  Result<int> Run() {
    std::vector<Node> from = std::move(graph_.nodes);
    graph_.nodes.clear();
    for (Node& node : from) {
      FERRY_ASSIGN_OR_RETURN(const bool expanded, OneNode(node));
      if (!expanded) graph_.nodes.push_back(std::move(node));
      count_ += expanded ? 1 : 0;
    }
    return count_;
  }

 private:
  Result<bool> OneNode(const Node& node) {
    if (node.op == "QLinearConv") return Conv(node);
    if (node.op == "QLinearMatMul") return MatMul(node);
    if (node.op == "com.microsoft:QLinearAdd") return Add(node);
    if (node.op == "ConvInteger") return Integer(node, "QConv");
    if (node.op == "MatMulInteger") return Integer(node, "QMatMul");
    return false;
  }

  const Tensor* Constant(const Node& node, size_t i) const {
    if (!node.HasInput(i) || !graph_.IsConstant(node.inputs[i])) return nullptr;
    return &*graph_.values[node.inputs[i]].constant;
  }
  bool IsOneConstant(const Node& node, size_t i) const {
    const Tensor* t = Constant(node, i);
    return t != nullptr && t->elements() == 1 && t->shape().rank() <= 1;
  }
  // Scale and zero point at `i` and `i + 1` are one constant number each.
  bool IsWhole(const Node& node, size_t i) const {
    return IsOneConstant(node, i) && IsOneConstant(node, i + 1) &&
           Constant(node, i)->dtype() == DType::kF32;
  }
  // The weights' scale and zero point: one number or a list, constant.
  bool IsList(const Node& node, size_t i) const {
    const Tensor* scale = Constant(node, i);
    const Tensor* zero = Constant(node, i + 1);
    return scale != nullptr && zero != nullptr && scale->dtype() == DType::kF32 &&
           scale->shape().rank() <= 1 && zero->shape().rank() <= 1;
  }

  ValueId NewConstant(Tensor tensor) {
    return graph_.AddConstant(NewName(graph_, 'e'), std::move(tensor));
  }
  ValueId NewValue() { return graph_.AddValue(NewName(graph_, 'e')); }

  ValueId Emit(const Node& like, std::string op, std::vector<ValueId> inputs, ValueId output,
               std::map<std::string, ir::Attribute, std::less<>> attributes = {}) {
    Node node;
    node.op = std::move(op);
    node.name = like.name;
    node.inputs = std::move(inputs);
    node.outputs = {output};
    node.attributes = std::move(attributes);
    graph_.nodes.push_back(std::move(node));
    return output;
  }
  // DequantizeLinear of input `i` by inputs `scale`, `scale + 1`.
  ValueId Float(const Node& node, size_t i, size_t scale, int64_t axis) {
    std::vector<ValueId> inputs = {node.inputs[i], node.inputs[scale]};
    if (node.HasInput(scale + 1)) inputs.push_back(node.inputs[scale + 1]);
    // A zero point for the whole tensor beside scales for each channel is repeated.
    const Tensor* s = Constant(node, scale);
    const Tensor* z = Constant(node, scale + 1);
    if (z != nullptr && z->elements() == 1 && s->elements() > 1) {
      auto list = Tensor::Allocate(z->dtype(), s->shape());
      if (list.ok()) {
        for (int64_t c = 0; c < s->elements(); ++c) list->SetInteger(c, z->Integer(0));
        inputs[2] = NewConstant(*std::move(list));
      }
    }
    return Emit(node, "DequantizeLinear", std::move(inputs), NewValue(), {{"axis", axis}});
  }

  // The bias in float32: its unit is the product of both scales.
  Result<ValueId> Bias(const Node& node) {
    if (!node.HasInput(8)) return ir::kNoValue;
    const Tensor bias = *Constant(node, 8);
    const double x = Constant(node, 1)->Number(0);
    const Tensor w = *Constant(node, 4);
    FERRY_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(DType::kF32, bias.shape()));
    for (int64_t c = 0; c < bias.elements(); ++c) {
      out.SetNumber(c, bias.Number(c) * x * w.Number(w.elements() == 1 ? 0 : c));
    }
    return NewConstant(std::move(out));
  }

  Result<bool> Conv(const Node& node) {
    if (!IsWhole(node, 1) || !IsList(node, 4) || !IsWhole(node, 6) ||
        Constant(node, 3) == nullptr || (node.HasInput(8) && Constant(node, 8) == nullptr)) {
      return false;
    }
    const Tensor& scale = *Constant(node, 4);
    if (node.HasInput(8) &&
        (Constant(node, 8)->dtype() != DType::kI32 ||
         (scale.elements() != 1 && scale.elements() != Constant(node, 8)->elements()))) {
      return false;
    }
    const ValueId x = Float(node, 0, 1, 1);
    const ValueId w = Float(node, 3, 4, 0);
    FERRY_ASSIGN_OR_RETURN(const ValueId bias, Bias(node));
    std::vector<ValueId> inputs = {x, w};
    if (bias != ir::kNoValue) inputs.push_back(bias);
    const ValueId sum = Emit(node, "Conv", std::move(inputs), NewValue(), node.attributes);
    Emit(node, "QuantizeLinear", {sum, node.inputs[6], node.inputs[7]}, node.outputs[0]);
    return true;
  }

  Result<bool> MatMul(const Node& node) {
    const Tensor* b = Constant(node, 3);
    if (!IsWhole(node, 1) || !IsList(node, 4) || !IsWhole(node, 6) || b == nullptr ||
        b->shape().rank() != 2) {
      return false;
    }
    const ValueId x = Float(node, 0, 1, 1);
    const ValueId w = Float(node, 3, 4, 1);
    const ValueId sum = Emit(node, "MatMul", {x, w}, NewValue());
    Emit(node, "QuantizeLinear", {sum, node.inputs[6], node.inputs[7]}, node.outputs[0]);
    return true;
  }

  Result<bool> Add(const Node& node) {
    if (!node.HasInput(7) || !IsWhole(node, 1) || !IsWhole(node, 4) || !IsWhole(node, 6)) {
      return false;
    }
    const ValueId a = Float(node, 0, 1, 1);
    const ValueId b = Float(node, 3, 4, 1);
    const ValueId sum = Emit(node, "Add", {a, b}, NewValue());
    Emit(node, "QuantizeLinear", {sum, node.inputs[6], node.inputs[7]}, node.outputs[0]);
    return true;
  }

  // Whether input `i` (x's zero point) is one number whenever the graph runs.
  bool IsOneNumber(const Node& node, size_t i) const {
    if (!node.HasInput(i) || IsOneConstant(node, i)) return true;
    const ir::Value& value = graph_.values[node.inputs[i]];
    if (value.dims) return value.dims->empty();
    return dynamic_zeros_.contains(node.inputs[i]);
  }

  // The weights less their zero point as i8, columns first; nullopt when one does not fit.
  Result<std::optional<Tensor>> Weights(const Node& node, bool transposed) const {
    const std::optional<Tensor> none;
    const Tensor* w = Constant(node, 1);
    const Tensor* zero = Constant(node, 3);
    if (w == nullptr || (node.HasInput(3) && zero == nullptr)) return none;
    const int rank = w->shape().rank();
    const bool fits = transposed ? rank == 2 : rank == 3 || rank == 4;
    if (!fits || (w->dtype() != DType::kI8 && w->dtype() != DType::kU8)) return none;
    const int64_t columns = w->shape()[transposed ? 1 : 0];
    if (zero != nullptr && zero->elements() != 1 &&
        (zero->elements() != columns || zero->shape().rank() != 1)) {
      return none;
    }
    const int64_t each = columns == 0 ? 0 : w->elements() / columns;
    ir::Shape shape = w->shape();
    if (transposed) shape = ir::Shape({columns, each});
    FERRY_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(DType::kI8, shape));
    for (int64_t i = 0; i < out.elements(); ++i) {
      const int64_t c = i / each;
      const int64_t off = zero == nullptr ? 0 : zero->Integer(zero->elements() == 1 ? 0 : c);
      const int64_t value = w->Integer(transposed ? i % each * columns + c : i) - off;
      if (value < -128 || value > 127) return none;
      out.SetInteger(i, value);
    }
    return std::optional<Tensor>(std::move(out));
  }

  Result<bool> Integer(const Node& node, const char* op) {
    const bool product = node.op == "MatMulInteger";
    if (!IsOneNumber(node, 2)) return false;
    FERRY_ASSIGN_OR_RETURN(auto weights, Weights(node, product));
    if (!weights) return false;
    auto attributes = node.attributes;
    attributes.erase("kernel_shape");
    attributes["y_type"] = ops::OnnxOfDType(DType::kI32);
    std::vector<ValueId> inputs = {node.inputs[0], NewConstant(*std::move(weights))};
    if (node.HasInput(2)) {
      inputs.resize(6, ir::kNoValue);
      inputs.push_back(node.inputs[2]);
    }
    Emit(node, op, std::move(inputs), node.outputs[0], std::move(attributes));
    return true;
  }

  Graph& graph_;
  std::set<ValueId> dynamic_zeros_;  // that DynamicQuantizeLinear nodes make
  int count_ = 0;
};

}  // namespace

Result<int> ExpandQuantized(Graph& graph) {
  return Expander(graph).Run();
}

}  // namespace ferry::passes
