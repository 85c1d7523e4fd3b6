#include "device-runtime/formats/onnx/builder.h"

namespace ferry::formats {

using ir::kNoValue;
using ir::ValueId;

namespace {
constexpr size_t kMaxStem = 400;  // a captured value may be named again in many bodies
}

std::string GraphBuilder::FreshName(const std::string& stem) {
  std::string name = stem;
  int& next = stems_[stem];
  while (name.empty() || !taken_.insert(name).second) name = fmt::format("{}.{}", stem, ++next);
  return name;
}

ValueId GraphBuilder::Capture(ValueId outer) {
  auto [it, is_new] = from_parent_.try_emplace(outer, kNoValue);
  if (!is_new) return it->second;
  const ir::Value& value = parent_->graph.values[outer];
  const std::string name = FreshName(value.name.substr(0, kMaxStem));
  if (value.constant) return it->second = graph.AddConstant(name, *value.constant);
  const ValueId id = graph.AddValue(name);
  graph.values[id].kind = value.kind;
  graph.values[id].dtype = value.dtype;
  captured_.push_back(outer);
  captured_inputs_.push_back(id);
  return it->second = id;
}

ValueId GraphBuilder::Bring(const GraphBuilder& from, ValueId id) {
  if (this == &from || id == kNoValue) return id;
  CHECK(parent_ != nullptr);
  return Capture(parent_->Bring(from, id));
}

void GraphBuilder::AddCapturedInputs() {
  graph.inputs.insert(graph.inputs.end(), captured_inputs_.begin(), captured_inputs_.end());
  graph.captured = static_cast<int>(captured_inputs_.size());
}

std::string Names::NameInGraph(const std::string& name) const {
  auto known = alias.find(name);
  if (known != alias.end()) return known->second;
  return prefix.empty() ? name : builder->FreshName(prefix + name);
}

bool Names::Declare(const std::string& name, ValueId& id) {
  if (ids.contains(name)) return false;
  ids[name] = id = builder->graph.AddValue(NameInGraph(name));
  return true;
}

bool Names::Declare(const std::string& name, tensor::Tensor constant) {
  if (ids.contains(name)) return false;
  ids[name] = builder->graph.AddConstant(NameInGraph(name), std::move(constant));
  return true;
}

bool Names::Has(const std::string& name) const {
  for (const Names* names = this; names != nullptr; names = names->outer) {
    if (names->ids.contains(name)) return true;
  }
  return false;
}

bool Names::Find(const std::string& name, GraphBuilder& into, ValueId& id) const {
  for (const Names* names = this; names != nullptr; names = names->outer) {
    auto known = names->ids.find(name);
    if (known == names->ids.end()) continue;
    id = into.Bring(*names->builder, known->second);
    return true;
  }
  return false;
}

}  // namespace ferry::formats
