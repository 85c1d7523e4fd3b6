#include "device-runtime/ir/graph.h"

#include <algorithm>
#include <unordered_set>

namespace ferry::ir {

std::optional<Shape> Value::FixedShape() const {
  if (constant) return constant->shape();
  if (!dims) return std::nullopt;
  std::vector<int64_t> extents;
  for (const Dim& dim : *dims) {
    if (dim.extent < 0) return std::nullopt;
    extents.push_back(dim.extent);
  }
  auto shape = Shape::Make(extents);
  if (!shape.ok()) return std::nullopt;
  return *shape;
}

ValueId Graph::AddValue(std::string value_name) {
  values.push_back({});
  values.back().name = std::move(value_name);
  return static_cast<ValueId>(values.size() - 1);
}

ValueId Graph::AddConstant(std::string value_name, Tensor tensor) {
  const ValueId id = AddValue(std::move(value_name));
  Value& value = values[id];
  value.dtype = tensor.dtype();
  value.dims.emplace();
  for (int64_t extent : tensor.shape().dims()) value.dims->push_back({extent, ""});
  value.constant = std::move(tensor);
  return id;
}

std::string Graph::FreshName(std::string_view stem) const {
  std::unordered_set<std::string_view> taken;
  for (const Value& value : values) taken.insert(value.name);
  std::string name(stem);
  for (int i = 1; taken.contains(name); ++i) name = fmt::format("{}.{}", stem, i);
  return name;
}

std::vector<int> Graph::Producers() const {
  std::vector<int> producers(values.size(), -1);
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (ValueId id : nodes[i].outputs) {
      if (id != kNoValue) producers[id] = static_cast<int>(i);
    }
  }
  return producers;
}

std::vector<int> Graph::UseCounts() const {
  std::vector<int> counts(values.size(), 0);
  for (const Node& node : nodes) {
    for (ValueId id : node.inputs) {
      if (id != kNoValue) ++counts[id];
    }
  }
  for (ValueId id : outputs) {
    if (id != kNoValue) ++counts[id];  // pieces that operators expand to may leave outputs out
  }
  return counts;
}

void Graph::ReplaceUses(ValueId from, ValueId to) {
  for (Node& node : nodes) std::ranges::replace(node.inputs, from, to);
  std::ranges::replace(outputs, from, to);
}

void Graph::CompactValues() {
  std::vector<ValueId> renumbered(values.size(), kNoValue);
  auto mark = [&](const std::vector<ValueId>& ids) {
    for (ValueId id : ids) {
      if (id != kNoValue) renumbered[id] = 0;
    }
  };
  mark(inputs);
  mark(outputs);
  for (const Node& node : nodes) {
    mark(node.inputs);
    mark(node.outputs);
  }
  size_t kept = 0;
  for (size_t id = 0; id < values.size(); ++id) {
    if (renumbered[id] == kNoValue) continue;
    renumbered[id] = static_cast<ValueId>(kept);
    if (kept != id) values[kept] = std::move(values[id]);
    ++kept;
  }
  values.resize(kept);
  auto renumber = [&](std::vector<ValueId>& ids) {
    for (ValueId& id : ids) {
      if (id != kNoValue) id = renumbered[id];
    }
  };
  renumber(inputs);
  renumber(outputs);
  for (Node& node : nodes) {
    renumber(node.inputs);
    renumber(node.outputs);
  }
}

std::string NodeText(const Node& node) {
  return fmt::format("node '{}' ({})", node.name, node.op);
}

}  // namespace ferry::ir
