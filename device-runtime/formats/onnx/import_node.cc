// One node: a plain one or a constant; calls of functions are in import_call.cc.
#include <algorithm>

#include "device-runtime/formats/onnx.h"
#include "device-runtime/formats/onnx/import.h"
#include "device-runtime/ops/op.h"

namespace ferry::formats {

using ir::kNoValue;
using ir::ValueId;

namespace {

struct Elements {
  using Out = Result<tensor::Tensor>;
  Out operator()(int64_t v) const { return tensor::Tensor::Of<int64_t>({}, {&v, 1}); }
  Out operator()(float v) const { return tensor::Tensor::Of<float>({}, {&v, 1}); }
  Out operator()(const std::string& v) const { return tensor::Tensor::Strings({}, {&v, 1}); }
  Out operator()(const std::vector<int64_t>& v) const {
    return tensor::Tensor::Of<int64_t>({static_cast<int64_t>(v.size())}, v);
  }
  Out operator()(const std::vector<float>& v) const {
    return tensor::Tensor::Of<float>({static_cast<int64_t>(v.size())}, v);
  }
  Out operator()(const tensor::Tensor& v) const { return v; }
  Out operator()(const std::vector<std::string>& v) const {
    return tensor::Tensor::Strings({static_cast<int64_t>(v.size())}, v);
  }
  Out operator()(const ir::Subgraph&) const {
    return Status(Code::kBadModel, "a constant that is a body");
  }
};

// What an older opset means by other rules than today's, and what only Ferry's own passes may say.
void UpgradeNode(ir::Node& node) {
  const bool softmax = node.op == "Softmax" || node.op == "LogSoftmax";
  if (softmax) node.attributes.erase("flatten");
  if (softmax && node.version > 0 && node.version < 13) {
    if (!node.attributes.contains("axis")) node.attributes["axis"] = int64_t{1};
    node.attributes["flatten"] = int64_t{1};
  }
  if (node.op != "Conv" && node.op != "Gemm") return;
  for (const char* own : {"activation", "low", "high"}) node.attributes.erase(own);
}

size_t WithoutEmptyEnd(const std::vector<std::string>& names, size_t least) {
  size_t count = names.size();
  while (count > least && names[count - 1].empty()) --count;
  return count;
}

}  // namespace

std::string OnnxImporter::Text(const OnnxNode& node, const std::string& name) const {
  const std::string op = node.domain.empty() ? node.op : node.domain + ":" + node.op;
  return fmt::format("node '{}' ({}, opset {})", name, op, Version(node.domain));
}

Status OnnxImporter::Nodes(const std::vector<OnnxNode>& nodes, Names& names) {
  for (const OnnxNode& node : nodes) {
    FERRY_TRY(Charge(node));
    const std::string name =
        names.prefix + (node.name.empty() ? fmt::format("{}_{}", node.op, ++unnamed_) : node.name);
    const std::vector<OnnxNode>* outside = std::exchange(around_, &nodes);
    Status status = OneNode(node, name, names);
    around_ = outside;
    if (status.ok()) continue;
    FERRY_TRY(Note(status.WithPrefix(Text(node, name))));
    // Its outputs exist, so that all that is wrong can be told.
    for (const std::string& output : node.outputs) {
      ValueId id = kNoValue;
      if (!output.empty()) names.Declare(output, id);
    }
  }
  return OkStatus();
}

Status OnnxImporter::OneNode(const OnnxNode& from, const std::string& name, Names& names) {
  FERRY_ASSIGN_OR_RETURN(GivenAttributes given, Attributes(from, names));
  for (const std::string& output : from.outputs) {
    if (!output.empty() && names.Has(output)) return Twice(output);
  }
  const OnnxFunction* function = FindFunction(from);
  if (function != nullptr) return Inline(from, name, *function, std::move(given), names);
  if (from.domain.empty() && from.op == "Constant") return Constant(from, given, names);
  return PlainNode(from, name, given, names);
}

Result<OnnxImporter::GivenAttributes> OnnxImporter::Attributes(const OnnxNode& from,
                                                               const Names& names) const {
  GivenAttributes given;
  for (const OnnxAttribute& attribute : from.attributes) {
    if (attribute.ref.empty()) {
      given.insert_or_assign(attribute.name, Given{&attribute, &names});
      continue;
    }
    if (call_ == nullptr) {
      return Status::Of(Code::kBadModel, "attribute '{}' refers to '{}' outside a function",
                        attribute.name, attribute.ref);
    }
    auto known = call_->attributes.find(attribute.ref);
    if (known != call_->attributes.end()) given.insert_or_assign(attribute.name, known->second);
  }
  return given;
}

Result<ValueId> OnnxImporter::Read(const std::string& name, const std::vector<OnnxNode>& nodes,
                                   const Names& names) const {
  ValueId id = kNoValue;
  if (names.Find(name, *names.builder, id)) return id;
  for (const OnnxNode& node : nodes) {
    if (std::ranges::find(node.outputs, name) == node.outputs.end()) continue;
    return Status::Of(Code::kBadModel,
                      "reads '{}', which node '{}' ({}) makes after it: the nodes are out of "
                      "order or in a cycle",
                      name, node.name, node.op);
  }
  return Status::Of(Code::kBadModel, "reads '{}', which nothing before it makes", name);
}

Status OnnxImporter::PlainNode(const OnnxNode& from, const std::string& name,
                               const GivenAttributes& given, Names& names) {
  GraphBuilder& builder = *names.builder;
  ir::Node node;
  node.op = from.domain.empty() ? from.op : from.domain + ":" + from.op;
  node.name = name;
  node.version = Version(from.domain);
  for (size_t i = 0; i < WithoutEmptyEnd(from.inputs, 0); ++i) {
    ValueId id = kNoValue;
    if (!from.inputs[i].empty()) {
      FERRY_ASSIGN_OR_RETURN(id, Read(from.inputs[i], *around_, names));
    }
    node.inputs.push_back(id);
  }
  std::vector<ValueId> captured;
  for (const auto& [key, attribute] : given) {  // in order of the keys
    FERRY_TRY(attribute.attribute->problem.Context("attribute '{}'", key));
    if (attribute.attribute->graph == nullptr) {
      FERRY_TRY(ChargeAttribute(attribute.attribute->value));
      node.attributes[key] = attribute.attribute->value;
      continue;
    }
    auto body = Body(*attribute.attribute->graph, *attribute.names, builder, captured);
    if (!body.ok()) return body.status().Context("body '{}'", key);
    node.attributes[key] = *std::move(body);
  }
  while (!node.inputs.empty() && node.inputs.back() == kNoValue) node.inputs.pop_back();
  node.captured = static_cast<int>(captured.size());
  node.inputs.insert(node.inputs.end(), captured.begin(), captured.end());
  // Where any number may follow (Split), the number of outputs means something.
  const ops::Op* op = ops::FindOp(node.op);
  const bool any_count = op != nullptr && op->max_outputs == ops::kAnyCount;
  const size_t outputs = any_count ? from.outputs.size() : WithoutEmptyEnd(from.outputs, 1);
  for (size_t i = 0; i < outputs; ++i) {
    ValueId id = kNoValue;
    if (!from.outputs[i].empty() && !names.Declare(from.outputs[i], id)) {
      return Twice(from.outputs[i]);
    }
    node.outputs.push_back(id);
  }
  UpgradeNode(node);
  builder.graph.nodes.push_back(std::move(node));
  return OkStatus();
}

Status OnnxImporter::Constant(const OnnxNode& from, const GivenAttributes& given, Names& names) {
  if (from.outputs.size() != 1 || from.outputs[0].empty()) {
    return Status(Code::kBadModel, "a constant needs one output");
  }
  for (const auto& [key, attribute] : given) {
    if (!key.starts_with("value") && key != "sparse_value") continue;
    FERRY_TRY(attribute.attribute->problem.Context("attribute '{}'", key));
    if (attribute.attribute->graph) break;
    FERRY_ASSIGN_OR_RETURN(tensor::Tensor tensor,
                           std::visit(Elements{}, attribute.attribute->value));
    names.Declare(from.outputs[0], std::move(tensor));
    return OkStatus();
  }
  return Status(Code::kBadModel, "a constant without a value");
}

}  // namespace ferry::formats
