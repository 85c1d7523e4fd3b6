#include "tools/model_graph/quantization.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/base/status.h"
#include "device-runtime/tensor/packing.h"

namespace ferry::model_graph {
namespace {

using tensor::Tensor;

// Where an operator that takes quantised values has them: value, scale, zero point; -1: none.
struct Place {
  std::string_view op;
  int value, scale, zero;
};
constexpr Place kPlaces[] = {
    {"ConvInteger", 0, -1, 2},   {"ConvInteger", 1, -1, 3},  {"MatMulInteger", 0, -1, 2},
    {"MatMulInteger", 1, -1, 3}, {"QConv", 0, -1, -1},       {"QConv", 1, 2, -1},
    {"QLinearAdd", 0, 1, 2},     {"QLinearAdd", 3, 4, 5},    {"QLinearConv", 0, 1, 2},
    {"QLinearConv", 3, 4, 5},    {"QLinearMatMul", 0, 1, 2}, {"QLinearMatMul", 3, 4, 5},
    {"QMatMul", 0, -1, -1},      {"QMatMul", 1, 2, -1},      {"StoredMatMul", 1, 4, 5},
};

int64_t StoredBytes(const Tensor& tensor) {
  return tensor::FileBytes(tensor.dtype(), tensor.elements());
}

class Reader {
 public:
  explicit Reader(const ir::Graph& graph) : graph_(graph), producers_(graph.Producers()) {}

  std::vector<QuantizedNode> Run() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const ir::Node& node = graph_.nodes[i];
      if (node.op == "QuantizeLinear" || node.op == "DequantizeLinear") continue;
      QuantizedNode found{i, {}, {}};
      for (size_t k = 0; k < node.inputs.size(); ++k)
        if (node.HasInput(k)) TakeBehind(node.inputs[k], k, found);
      for (const Place& place : kPlaces)
        if (place.op == node.op) TakePlace(node, place, found);
      if (!found.weights.empty() || !found.activations.empty()) nodes_.push_back(std::move(found));
    }
    return std::move(nodes_);
  }

 private:
  const Tensor* Constant(const ir::Node& node, int input) const {
    if (input < 0 || !node.HasInput(static_cast<size_t>(input))) return nullptr;
    const ir::ValueId id = node.inputs[static_cast<size_t>(input)];
    return graph_.IsConstant(id) ? &*graph_.values[static_cast<size_t>(id)].constant : nullptr;
  }

  // A value that a node reads, where DequantizeLinear or a widening Cast makes it.
  void TakeBehind(ir::ValueId id, size_t input, QuantizedNode& found) {
    const int maker = producers_[static_cast<size_t>(id)];
    if (maker < 0) return;
    const ir::Node& node = graph_.nodes[static_cast<size_t>(maker)];
    const Tensor* stored = Constant(node, 0);
    if (node.op == "DequantizeLinear") {
      QuantizedValue value = Described(node, {node.op, 0, 1, 2}, input);
      if (stored == nullptr) return found.activations.push_back(std::move(value));
      return found.weights.push_back(std::move(value));
    }
    const bool widens = node.op == "Cast" && stored != nullptr &&
                        tensor::IsFloat(stored->dtype()) && tensor::FileBits(stored->dtype()) < 32;
    if (!widens) return;
    QuantizedValue value = Described(node, {node.op, 0, -1, -1}, input);
    value.scheme = fmt::format("stored as {}", tensor::DTypeName(stored->dtype()));
    found.weights.push_back(std::move(value));
  }

  void TakePlace(const ir::Node& node, const Place& place, QuantizedNode& found) {
    const auto input = static_cast<size_t>(place.value);
    if (!node.HasInput(input)) return;
    QuantizedValue value = Described(node, place, input);
    const bool is_weight = Constant(node, place.value) != nullptr;
    (is_weight ? found.weights : found.activations).push_back(std::move(value));
  }

  QuantizedValue Described(const ir::Node& node, const Place& place, size_t input) const {
    QuantizedValue value;
    value.input = input;
    const Tensor* stored = Constant(node, place.value);
    const Tensor* scale = Constant(node, place.scale);
    const Tensor* zero = Constant(node, place.zero);
    const ir::ValueId id = node.inputs[static_cast<size_t>(place.value)];
    value.dtype = stored != nullptr ? stored->dtype() : DTypeOf(id, zero);
    value.scheme = SchemeOf(node, place, scale);
    if (zero != nullptr && tensor::IsInteger(zero->dtype()))
      for (int64_t i = 0; i < zero->elements(); ++i)
        value.symmetric = value.symmetric && zero->Integer(i) == 0;
    // A zero point that the run computes.
    if (place.zero >= 0 && zero == nullptr && node.HasInput(static_cast<size_t>(place.zero)))
      value.symmetric = false;
    if (scale != nullptr) TakeScales(*scale, value);
    if (stored == nullptr) return value;
    value.value = id;
    value.bytes_before = stored->elements() * kBytesOfAFloat;
    value.bytes_after = StoredBytes(*stored) + (scale == nullptr ? 0 : StoredBytes(*scale)) +
                        (zero == nullptr ? 0 : StoredBytes(*zero));
    return value;
  }

  // Of a value that the run makes: what its maker says, or the type of the zero point.
  ir::DType DTypeOf(ir::ValueId id, const Tensor* zero) const {
    const ir::Value& value = graph_.values[static_cast<size_t>(id)];
    if (value.dtype) return *value.dtype;
    if (zero != nullptr) return zero->dtype();
    const int maker = producers_[static_cast<size_t>(id)];
    if (maker < 0) return ir::DType::kU8;
    const Tensor* of_maker = Constant(graph_.nodes[static_cast<size_t>(maker)], 2);
    return of_maker == nullptr ? ir::DType::kU8 : of_maker->dtype();
  }

  std::string SchemeOf(const ir::Node& node, const Place& place, const Tensor* scale) const {
    if (place.scale < 0) return "scale applied later";
    if (scale == nullptr) return "scale of the run";
    if (scale->elements() == 1) return "per tensor";
    const int64_t* axis = node.Find<int64_t>("axis");
    const int64_t* block = node.Find<int64_t>("block_size");
    const bool is_linear = node.op == "DequantizeLinear";
    const int64_t along = axis != nullptr ? *axis : is_linear ? 1 : 0;
    if (block != nullptr && *block > 0)
      return fmt::format("blocks of {} along axis {}", *block, along);
    return fmt::format("per channel of axis {}", along);
  }

  static void TakeScales(const Tensor& scale, QuantizedValue& value) {
    if (!tensor::IsFloat(scale.dtype()) || scale.elements() == 0) return;
    value.has_scales = true;
    value.scales = scale.elements();
    value.scale_min = std::numeric_limits<double>::infinity();
    value.scale_max = -value.scale_min;
    for (int64_t i = 0; i < scale.elements(); ++i) {
      value.scale_min = std::min(value.scale_min, scale.Number(i));
      value.scale_max = std::max(value.scale_max, scale.Number(i));
    }
  }

  const ir::Graph& graph_;
  const std::vector<int> producers_;
  std::vector<QuantizedNode> nodes_;
};

}  // namespace

std::vector<QuantizedNode> QuantizedNodes(const ir::Graph& graph) {
  return Reader(graph).Run();
}

}  // namespace ferry::model_graph
