#include "device-runtime/passes/fuse/match.h"

#include <algorithm>
#include <cmath>

namespace ferry::passes {

using ir::kNoValue;
using ir::ValueId;

Matcher::Matcher(const ir::Graph& graph)
    : graph_(graph),
      producers_(graph.Producers()),
      uses_(graph.UseCounts()),
      readers_(graph.values.size(), -1) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (ValueId id : graph.nodes[i].inputs) {
      if (id != kNoValue) readers_[Index(id)] = static_cast<int>(i);
    }
  }
}

const ir::Node* Matcher::Maker(ValueId id, std::string_view op) const {
  const int index = MakerIndex(id);
  if (index < 0) return nullptr;
  const ir::Node& node = graph_.nodes[static_cast<size_t>(index)];
  // Nodes of several outputs make their first.
  if (node.outputs.empty() || node.outputs[0] != id) return nullptr;
  return op.empty() || node.op == op ? &node : nullptr;
}

std::optional<double> Matcher::Number(ValueId id) const {
  if (!graph_.IsConstant(id)) return std::nullopt;
  const tensor::Tensor& t = *graph_.values[Index(id)].constant;
  if (t.elements() != 1 || !tensor::IsFloat(t.dtype())) return std::nullopt;
  return t.Number(0);
}

std::optional<double> Matcher::ScalarFor(ValueId id, ValueId other) const {
  const auto number = Number(id);
  if (!number || other == kNoValue) return std::nullopt;
  const int rank = graph_.values[Index(id)].constant->shape().rank();
  if (rank == 0) return number;
  const auto& dims = graph_.values[Index(other)].dims;
  if (!dims || static_cast<int>(dims->size()) < rank) return std::nullopt;
  return number;
}

std::optional<std::pair<ValueId, double>> Matcher::WithNumber(const ir::Node& node) const {
  if (node.inputs.size() != 2 || !node.HasInput(0) || !node.HasInput(1)) return std::nullopt;
  if (auto right = ScalarFor(node.inputs[1], node.inputs[0])) {
    return std::pair(node.inputs[0], *right);
  }
  if (node.op != "Add" && node.op != "Mul" && node.op != "Max" && node.op != "Min") {
    return std::nullopt;
  }
  if (auto left = ScalarFor(node.inputs[0], node.inputs[1])) {
    return std::pair(node.inputs[1], *left);
  }
  return std::nullopt;
}

std::optional<ir::Shape> Matcher::ShapeOf(ValueId id) const {
  return id == kNoValue ? std::nullopt : graph_.values[Index(id)].FixedShape();
}

bool Matcher::IsF32(ValueId id) const {
  return id != kNoValue && graph_.values[Index(id)].dtype == ir::DType::kF32;
}

FreshNames::FreshNames(const ir::Graph& graph, std::string_view stem) : stem_(stem) {
  auto is_free = [&] {
    return std::ranges::none_of(graph.values, [&](const ir::Value& value) {
      return std::string_view(value.name).starts_with(stem_);
    });
  };
  do {
    stem_ += '~';
  } while (!is_free());
}

std::string FreshNames::Next() {
  return fmt::format("{}{}", stem_, count_++);
}

std::optional<std::vector<int64_t>> IntsOf(const ir::Graph& graph, const ir::Node& node,
                                           size_t input, std::string_view key) {
  if (const auto* list = node.Find<std::vector<int64_t>>(key)) return *list;
  if (!node.HasInput(input) || !graph.IsConstant(node.inputs[input])) return std::nullopt;
  const tensor::Tensor& t = *graph.values[static_cast<size_t>(node.inputs[input])].constant;
  if (t.dtype() != ir::DType::kI64 || t.shape().rank() > 1) return std::nullopt;
  const auto data = t.data<int64_t>();
  return std::vector<int64_t>(data.begin(), data.end());
}

std::optional<int> TrailingAxis(const ir::Graph& graph, const ir::Node& node, std::string_view op) {
  if (node.op != op || !node.HasInput(0)) return std::nullopt;
  const int64_t* keeps = node.Find<int64_t>("keepdims");
  if (keeps != nullptr && *keeps != 1) return std::nullopt;
  const auto& dims = graph.values[static_cast<size_t>(node.inputs[0])].dims;
  auto axes = IntsOf(graph, node, 1, "axes");
  if (!dims || !axes || axes->empty()) return std::nullopt;
  const auto rank = static_cast<int64_t>(dims->size());
  for (int64_t& axis : *axes) axis += axis < 0 ? rank : 0;
  std::ranges::sort(*axes);
  for (size_t i = 0; i < axes->size(); ++i) {
    if ((*axes)[i] != rank - static_cast<int64_t>(axes->size() - i)) return std::nullopt;
  }
  return static_cast<int>(axes->front());
}

const tensor::Tensor* ConstantF32(const ir::Graph& graph, ir::ValueId id) {
  if (!graph.IsConstant(id)) return nullptr;
  const tensor::Tensor& t = *graph.values[static_cast<size_t>(id)].constant;
  return t.dtype() == ir::DType::kF32 ? &t : nullptr;
}

bool Near(double a, double b) {
  return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b));
}

}  // namespace ferry::passes
