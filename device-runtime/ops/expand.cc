#include "device-runtime/ops/expand.h"

#include <algorithm>

#include "device-runtime/ops/onnx_types.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

using ir::kNoValue;
using ir::ValueId;

// Results of constants up to this size are computed at once, so that they can decide shapes.
constexpr int64_t kMaxFoldedElements = 4096;
// Expansions of expansions; more is a cycle.
constexpr int kMaxDepth = 16;
thread_local int depth = 0;
struct DepthScope {
  DepthScope() { ++depth; }
  ~DepthScope() { --depth; }
};

}  // namespace

ExpandContext::ExpandContext(const Node& node, std::span<const ValueInfo* const> inputs)
    : NodeContext(node, inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == nullptr) {
      inputs_.push_back(kNoValue);
      continue;
    }
    inputs_.push_back(graph_.AddValue(fmt::format("in{}", i)));
    graph_.inputs.push_back(inputs_.back());
    infos_.push_back(*inputs[i]);
  }
  graph_.outputs.assign(node.outputs.size(), kNoValue);
}

ValueId ExpandContext::In(int i) const {
  return i < static_cast<int>(inputs_.size()) ? inputs_[static_cast<size_t>(i)] : kNoValue;
}

const ValueInfo& ExpandContext::Info(ValueId id) const {
  static const ValueInfo& none = *new ValueInfo();
  return id == kNoValue ? none : infos_[static_cast<size_t>(id)];
}

bool ExpandContext::HasOutput(int i) const {
  return i < static_cast<int>(node().outputs.size()) &&
         node().outputs[static_cast<size_t>(i)] != kNoValue;
}

void ExpandContext::SetOutput(int i, ValueId value) {
  if (i < static_cast<int>(graph_.outputs.size())) graph_.outputs[static_cast<size_t>(i)] = value;
}

void ExpandContext::Fail(Status status) {
  if (status_.ok()) status_ = std::move(status);
}

ValueId ExpandContext::Add(std::string_view op, std::span<const ValueId> inputs,
                           Attributes attributes) {
  return AddMany(op, inputs, 1, attributes)[0];
}

std::vector<ValueId> ExpandContext::AddMany(std::string_view op, std::span<const ValueId> inputs,
                                            size_t outputs, Attributes attributes) {
  std::map<std::string, ir::Attribute, std::less<>> map;
  for (const auto& [key, value] : attributes) map.emplace(key, value);
  return AddNode(op, inputs, outputs, std::move(map));
}

std::vector<ValueId> ExpandContext::AddNode(
    std::string_view op, std::span<const ValueId> inputs, size_t outputs,
    std::map<std::string, ir::Attribute, std::less<>> attributes, int version) {
  const std::vector<ValueId> nothing(outputs, kNoValue);
  if (!status_.ok()) return nothing;
  Node made;
  made.op = op;
  made.version = version;
  made.name = fmt::format("{}/{}{}", node().name, op, graph_.nodes.size());
  made.inputs.assign(inputs.begin(), inputs.end());
  while (!made.inputs.empty() && made.inputs.back() == kNoValue) made.inputs.pop_back();
  made.attributes = std::move(attributes);
  std::vector<const ValueInfo*> types;
  for (ValueId id : made.inputs) types.push_back(id == kNoValue ? nullptr : &Info(id));
  // Ids of outputs only count once the node is sound: they exist as soon as CheckNode looks.
  made.outputs.resize(outputs);
  for (size_t i = 0; i < outputs; ++i) {
    made.outputs[i] = static_cast<ValueId>(graph_.values.size() + i);
  }
  if (Status checked = CheckNode(made); !checked.ok()) return Fail(std::move(checked)), nothing;
  const Op* found = FindOp(op);
  if (found->infer == nullptr && found->expand == nullptr) {
    Fail(Status::Of(Code::kUnsupported, "{} cannot run inside an operator", ir::NodeText(made)));
    return nothing;
  }
  if (found->infer == nullptr) {
    auto piece = Expand(*found, made, types);
    if (!piece.ok()) return Fail(piece.status()), nothing;
    return Splice(*piece, made);
  }
  InferContext inferred(made, types, outputs);
  if (Status known = Infer(*found, inferred); !known.ok()) return Fail(std::move(known)), nothing;
  if (Status folded = Fold(*found, made, inferred); !folded.ok()) {
    return Fail(std::move(folded)), nothing;
  }
  bool known = true;
  for (size_t i = 0; i < outputs; ++i) {
    known = known && inferred.outputs[i].constant.has_value();
    graph_.AddValue(fmt::format("v{}", graph_.values.size()));
    infos_.push_back(std::move(inferred.outputs[i]));
  }
  if (!known) graph_.nodes.push_back(made);
  return made.outputs;
}

std::vector<ValueId> ExpandContext::AddSelf() {
  return AddNode(node().op, inputs_, node().outputs.size(), node().attributes, node().version);
}

std::vector<ValueId> ExpandContext::Inline(const ir::Graph& body, std::span<const ValueId> inputs) {
  const std::vector<ValueId> nothing(body.outputs.size(), kNoValue);
  if (inputs.size() != body.inputs.size()) {
    Fail(Status::Of(Code::kBadModel, "a body has {} inputs instead of {}", body.inputs.size(),
                    inputs.size()));
    return nothing;
  }
  std::vector<ValueId> here(body.values.size(), kNoValue);
  auto at = [&](ValueId id) -> ValueId& { return here[static_cast<size_t>(id)]; };
  for (size_t id = 0; id < here.size(); ++id) {
    if (body.values[id].constant) here[id] = Constant(*body.values[id].constant);
  }
  for (size_t i = 0; i < inputs.size(); ++i) at(body.inputs[i]) = inputs[i];
  for (const Node& node : body.nodes) {
    std::vector<ValueId> read;
    for (ValueId id : node.inputs) read.push_back(id == kNoValue ? kNoValue : at(id));
    const std::vector<ValueId> made =
        AddNode(node.op, read, node.outputs.size(), node.attributes, node.version);
    if (!status_.ok()) return nothing;
    for (size_t i = 0; i < made.size(); ++i) {
      if (node.outputs[i] != kNoValue) at(node.outputs[i]) = made[i];
    }
  }
  std::vector<ValueId> outputs;
  for (ValueId id : body.outputs) outputs.push_back(at(id));
  return outputs;
}

Status ExpandContext::Fold(const Op& op, const Node& node, InferContext& inferred) const {
  if (!op.is_pure) return OkStatus();
  int64_t elements = 0;
  for (const ValueInfo& info : inferred.outputs) elements += info.shape.elements();
  if (elements > kMaxFoldedElements) return OkStatus();
  std::vector<const Tensor*> constants;
  for (ValueId id : node.inputs) {
    if (id != kNoValue && !Info(id).constant) return OkStatus();
    constants.push_back(id == kNoValue ? nullptr : &*Info(id).constant);
  }
  FERRY_ASSIGN_OR_RETURN(auto results, RunReference(op, node, constants));
  for (size_t i = 0; i < results.size(); ++i) {
    inferred.outputs[i].constant = std::move(results[i]);
  }
  return OkStatus();
}

std::vector<ValueId> ExpandContext::Splice(const ir::Graph& piece, const Node& from) {
  std::vector<ValueId> renamed(piece.values.size(), kNoValue);
  size_t next = 0;
  for (ValueId id : from.inputs) {
    if (id != kNoValue) renamed[static_cast<size_t>(piece.inputs[next++])] = id;
  }
  for (size_t id = 0; id < piece.values.size(); ++id) {
    if (renamed[id] != kNoValue) continue;
    renamed[id] = graph_.AddValue(fmt::format("v{}", graph_.values.size()));
    const ir::Value& value = piece.values[id];
    infos_.push_back({*value.dtype, *value.FixedShape(), value.constant});
  }
  auto rename = [&](std::vector<ValueId>& ids) {
    for (ValueId& id : ids) {
      if (id != kNoValue) id = renamed[static_cast<size_t>(id)];
    }
  };
  for (Node node : piece.nodes) {
    rename(node.inputs);
    rename(node.outputs);
    graph_.nodes.push_back(std::move(node));
  }
  std::vector<ValueId> outputs = piece.outputs;
  rename(outputs);
  return outputs;
}

ValueId ExpandContext::Constant(Tensor tensor) {
  const ValueId id = graph_.AddValue(fmt::format("v{}", graph_.values.size()));
  infos_.push_back({tensor.dtype(), tensor.shape(), std::move(tensor)});
  return id;
}

ValueId ExpandContext::Number(DType dtype, double value) {
  auto tensor = Tensor::Zeros(dtype, {});
  if (!tensor.ok()) return Fail(tensor.status()), kNoValue;
  tensor->SetNumber(0, value);
  return Constant(*std::move(tensor));
}

ValueId ExpandContext::Ints(std::span<const int64_t> values) {
  auto tensor = Tensor::Of<int64_t>({static_cast<int64_t>(values.size())}, values);
  if (!tensor.ok()) return Fail(tensor.status()), kNoValue;
  return Constant(*std::move(tensor));
}

ValueId ExpandContext::Cast(ValueId x, DType to) {
  if (TypeOf(x) == to) return x;
  return Add("Cast", {x}, {{"to", OnnxOfDType(to)}});
}

ValueId ExpandContext::Reshape(ValueId x, std::span<const int64_t> dims) {
  return Add("Reshape", {x, Ints(dims)}, {{"allowzero", int64_t{1}}});
}

ValueId ExpandContext::Transpose(ValueId x, std::vector<int64_t> axes) {
  return Add("Transpose", {x}, {{"perm", std::move(axes)}});
}

Result<ir::Graph> ExpandContext::Finish() {
  FERRY_TRY(status_);
  for (size_t id = 0; id < graph_.values.size(); ++id) {
    ir::Value& value = graph_.values[id];
    value.dtype = infos_[id].dtype;
    value.dims.emplace();
    for (int64_t extent : infos_[id].shape.dims()) value.dims->push_back({extent, ""});
    const bool is_input = std::ranges::count(graph_.inputs, static_cast<ValueId>(id)) > 0;
    if (!is_input) value.constant = std::move(infos_[id].constant);
  }
  for (size_t i = 0; i < graph_.outputs.size(); ++i) {
    if (graph_.outputs[i] == kNoValue && node().outputs[i] != kNoValue) {
      return Status::Of(Code::kInternal, "output {} was not made", i);
    }
  }
  return std::move(graph_);
}

Result<ir::Graph> Expand(const Op& op, const Node& node, std::span<const ValueInfo* const> inputs,
                         int* needed) {
  const DepthScope scope;
  CHECK(depth <= kMaxDepth) << op.name << " expands into itself";
  ExpandContext context(node, inputs);
  const Status expanded = op.expand(context);
  if (needed != nullptr) *needed = context.needed();
  FERRY_TRY(expanded.Context("{}", ir::NodeName{node}));
  return context.Finish().Context("{}", ir::NodeName{node});
}

}  // namespace ferry::ops
