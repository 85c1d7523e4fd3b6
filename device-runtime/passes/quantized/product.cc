// Recognises products of dequantized operands.
#include <algorithm>
#include <cmath>

#include "device-runtime/passes/quantized/sums.h"

namespace ferry::passes {
namespace {

using ir::DType;
using ir::Node;
using ir::Tensor;

const Tensor* ConstantOf(const ir::Graph& graph, const Node& node, size_t input) {
  if (!node.HasInput(input) || !graph.IsConstant(node.inputs[input])) return nullptr;
  return &*graph.values[node.inputs[input]].constant;
}

float Number(const Node& node, const char* key, float fallback) {
  const float* value = node.Find<float>(key);
  return value != nullptr ? *value : fallback;
}

int64_t Whole(const Node& node, const char* key, int64_t fallback) {
  const int64_t* value = node.Find<int64_t>(key);
  return value != nullptr ? *value : fallback;
}

// A bound of Clip; false: it is not known.
bool ReadBound(const ir::Graph& graph, const Node& node, size_t input, const char* key,
               float& bound) {
  bound = Number(node, key, bound);
  if (!node.HasInput(input)) return true;
  const Tensor* t = ConstantOf(graph, node, input);
  if (t == nullptr || t->dtype() != DType::kF32 || t->elements() != 1) return false;
  bound = static_cast<float>(t->Number(0));
  return !std::isnan(bound);
}

// Stored weights: elements, a scale and a zero point for each column (axis `axis`).
struct Stored {
  const Tensor* elements;
  std::vector<double> scale;
  std::vector<int64_t> zero;
};

std::optional<Stored> StoredOf(const ir::Graph& graph, const Links& links, ir::ValueId id,
                               int axis) {
  const int maker = links.Maker(id);
  if (maker < 0) return std::nullopt;
  const Node& node = graph.nodes[static_cast<size_t>(maker)];
  if (node.op != "DequantizeLinear" || Whole(node, "block_size", 0) != 0) return std::nullopt;
  const Tensor* elements = ConstantOf(graph, node, 0);
  const Tensor* scale = ConstantOf(graph, node, 1);
  const Tensor* zero = ConstantOf(graph, node, 2);
  if (elements == nullptr || scale == nullptr || (zero == nullptr && node.HasInput(2)) ||
      scale->dtype() != DType::kF32 || graph.values[id].dtype != DType::kF32 ||
      (elements->dtype() != DType::kI8 && elements->dtype() != DType::kU8)) {
    return std::nullopt;
  }
  const int rank = elements->shape().rank();
  if (rank <= axis) return std::nullopt;
  const int64_t columns = elements->shape()[axis];
  int64_t along = Whole(node, "axis", 1);
  if (along < 0) along += rank;
  const bool one = scale->elements() == 1 && scale->shape().rank() <= 1;
  if (!one && (along != axis || scale->elements() != columns)) return std::nullopt;
  Stored stored{elements, {}, {}};
  for (int64_t c = 0; c < columns; ++c) {
    stored.scale.push_back(scale->Number(one ? 0 : c));
    const bool one_zero = zero != nullptr && zero->elements() == 1;
    stored.zero.push_back(zero == nullptr ? 0 : zero->Integer(one_zero ? 0 : c));
    if (!std::isfinite(stored.scale.back())) return std::nullopt;
  }
  return stored;
}

// The elements less their zero points as i8, columns first ([k, n] is transposed); nullopt when one
// does not fit. What is so already is shared.
Result<std::optional<Tensor>> SignedWeights(const Stored& stored, bool transposed) {
  const Tensor& from = *stored.elements;
  const bool plain = std::ranges::all_of(stored.zero, [](int64_t zero) { return zero == 0; });
  if (!transposed && plain && from.dtype() == DType::kI8) return std::optional<Tensor>(from);
  const auto columns = static_cast<int64_t>(stored.zero.size());
  const int64_t each = columns == 0 ? 0 : from.elements() / columns;
  ir::Shape shape = from.shape();
  if (transposed) shape = ir::Shape({columns, each});
  FERRY_ASSIGN_OR_RETURN(Tensor to, Tensor::Allocate(DType::kI8, shape));
  int8_t* data = reinterpret_cast<int8_t*>(to.mutable_raw());
  const uint8_t* raw = from.raw();
  const bool is_signed = from.dtype() == DType::kI8;
  for (int64_t c = 0; c < columns; ++c) {
    const int64_t zero = stored.zero[static_cast<size_t>(c)];
    for (int64_t i = 0; i < each; ++i) {
      const uint8_t bits = raw[transposed ? i * columns + c : c * each + i];
      const int64_t value = (is_signed ? static_cast<int8_t>(bits) : int64_t{bits}) - zero;
      if (value < -128 || value > 127) return std::optional<Tensor>();
      data[c * each + i] = static_cast<int8_t>(value);
    }
  }
  return std::optional<Tensor>(std::move(to));
}

// Where a product has what.
struct Form {
  int column_axis;  // of the weights
  bool transposed;  // weights are [k, n]
  bool has_bias;
};

std::optional<Form> FormOf(const ir::Graph& graph, const Node& node) {
  if (node.op == "Conv") {
    const int rank = graph.values[node.inputs[0]].FixedShape().value_or(ir::Shape()).rank();
    if (rank < 3 || rank > 4 || node.HasInput(3)) return std::nullopt;
    return Form{0, false, node.HasInput(2)};
  }
  if (node.op == "Gemm") {
    if (Number(node, "alpha", 1) != 1 || Whole(node, "transA", 0) != 0 || node.HasInput(3) ||
        (node.HasInput(2) && Number(node, "beta", 1) != 1)) {
      return std::nullopt;
    }
    const bool rows = Whole(node, "transB", 0) != 0;
    return Form{rows ? 0 : 1, !rows, node.HasInput(2)};
  }
  if (node.op == "MatMul" && !node.HasInput(3)) return Form{1, true, node.HasInput(2)};
  return std::nullopt;
}

}  // namespace

void Bounds::Then(const Bounds& b) {
  low = std::min(b.high, std::max(b.low, low));
  high = std::min(b.high, std::max(b.low, high));
}

std::optional<Bounds> BoundsOf(const ir::Graph& graph, const Node& node) {
  Bounds b;
  if (node.op == "Relu") {
    b.low = 0;
    return b;
  }
  if (node.op != "Clip" || !ReadBound(graph, node, 1, "min", b.low) ||
      !ReadBound(graph, node, 2, "max", b.high) || b.low > b.high) {
    return std::nullopt;
  }
  return b;
}

Result<std::optional<QuantProduct>> ProductOf(const ir::Graph& graph, const Links& links,
                                              int index) {
  if (index < 0) return std::optional<QuantProduct>();
  const auto x = links.Dequantized(graph.nodes[static_cast<size_t>(index)].inputs.empty()
                                       ? ir::kNoValue
                                       : graph.nodes[static_cast<size_t>(index)].inputs[0]);
  if (!x) return std::optional<QuantProduct>();
  FERRY_ASSIGN_OR_RETURN(auto product, WeightsOf(graph, links, index));
  if (product) product->x = *x;
  return product;
}

Result<std::optional<QuantProduct>> WeightsOf(const ir::Graph& graph, const Links& links,
                                              int index) {
  const std::optional<QuantProduct> none;
  const Node& node = graph.nodes[static_cast<size_t>(index)];
  const auto form = FormOf(graph, node);
  if (!form) return none;
  QuantProduct p;
  p.node = index;
  if (const auto* activation = node.Find<std::string>("activation")) {
    if (*activation != "Clip") return none;
    p.bounds = {Number(node, "low", p.bounds.low), Number(node, "high", p.bounds.high)};
  }
  auto stored = StoredOf(graph, links, node.inputs[1], form->column_axis);
  if (!stored) return none;
  if (node.op != "Conv" && stored->elements->shape().rank() != 2) return none;
  if (form->has_bias) {
    const Tensor* bias = ConstantOf(graph, node, 2);
    const auto columns = static_cast<int64_t>(stored->scale.size());
    if (bias == nullptr || bias->dtype() != DType::kF32 || bias->elements() != columns ||
        bias->shape().rank() == 0 || bias->shape()[bias->shape().rank() - 1] != columns) {
      return none;
    }
    p.bias = std::make_shared<Tensor>(*bias);
  }
  FERRY_ASSIGN_OR_RETURN(auto weights, SignedWeights(*stored, form->transposed));
  if (!weights) return none;
  p.weights = *std::move(weights);
  p.scale = std::move(stored->scale);
  return std::optional<QuantProduct>(std::move(p));
}

}  // namespace ferry::passes
