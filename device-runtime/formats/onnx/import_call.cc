// Calls of model-local functions: their nodes join the caller's graph.
#include "device-runtime/formats/onnx.h"
#include "device-runtime/formats/onnx/import.h"
#include "device-runtime/ops/op.h"

namespace ferry::formats {

using ir::kNoValue;
using ir::ValueId;

namespace {

constexpr int kMaxCallDepth = 64;
// Names and attributes that calls of functions may make, in all.
constexpr size_t kMaxCallBytes = size_t{64} << 20;
constexpr size_t kMaxPrefix = 200;  // of names inside calls inside calls

struct SizeOf {
  template <typename T>
  size_t operator()(const std::vector<T>& v) const {
    return v.size() * sizeof(T);
  }
  size_t operator()(const std::vector<std::string>& v) const {
    size_t sum = 0;
    for (const std::string& text : v) sum += text.size() + sizeof(std::string);
    return sum;
  }
  size_t operator()(const std::string& v) const { return v.size(); }
  size_t operator()(int64_t) const { return 8; }
  size_t operator()(float) const { return 8; }
  // Copies share the elements, but a model file has them with each node.
  size_t operator()(const tensor::Tensor& v) const {
    return 64 + static_cast<size_t>(v.size_bytes());
  }
  size_t operator()(const ir::Subgraph&) const { return 64; }
};

}  // namespace

const OnnxFunction* OnnxImporter::FindFunction(const OnnxNode& node) const {
  if (node.domain.empty() && ops::FindOp(node.op) != nullptr) return nullptr;
  auto known = functions_.find({node.domain, node.op, node.overload});
  return known == functions_.end() ? nullptr : known->second;
}

Status OnnxImporter::Charge(const OnnxNode& node) {
  if (++nodes_ > kMaxOnnxNodes) {
    return Status::Of(Code::kLimitExceeded, "more than {} nodes, those of functions counted",
                      kMaxOnnxNodes);
  }
  size_t bytes = node.name.size() + node.op.size() + 64;
  for (const std::string& name : node.inputs) bytes += name.size() + 8;
  for (const std::string& name : node.outputs) bytes += name.size() + 2 * kMaxPrefix;
  for (const OnnxAttribute& attribute : node.attributes) bytes += attribute.name.size() + 64;
  return ChargeBytes(bytes);
}

Status OnnxImporter::ChargeGraph(const OnnxGraph& graph) {
  size_t bytes = 256 + graph.name.size();
  for (const OnnxTensor& tensor : graph.initializers) bytes += 2 * tensor.name.size() + 256;
  for (const auto* infos : {&graph.inputs, &graph.outputs}) {
    for (const OnnxValueInfo& info : *infos) {
      bytes += 2 * info.name.size() + 256 + 64 * info.type.dims.size();
      for (const ir::Dim& dim : info.type.dims) bytes += dim.symbol.size();
    }
  }
  return ChargeBytes(bytes);
}

Status OnnxImporter::ChargeBytes(size_t bytes) {
  if (call_ != nullptr) charged_ += bytes;
  if (charged_ <= kMaxCallBytes) return OkStatus();
  return Status::Of(Code::kLimitExceeded,
                    "calls of functions make more than {} bytes of names and attributes",
                    kMaxCallBytes);
}

Status OnnxImporter::ChargeAttribute(const ir::Attribute& attribute) {
  return ChargeBytes(std::visit(SizeOf(), attribute));
}

Status OnnxImporter::Inline(const OnnxNode& from, const std::string& name,
                            const OnnxFunction& function, GivenAttributes given, Names& names) {
  int depth = 0;
  for (const Call* call = call_; call != nullptr; call = call->caller) {
    if (call->function == &function) {
      return Status::Of(Code::kBadModel, "function '{}' calls itself", function.name);
    }
    if (++depth >= kMaxCallDepth) {
      return Status::Of(Code::kLimitExceeded, "calls are nested more than {} deep", kMaxCallDepth);
    }
  }
  if (from.inputs.size() > function.inputs.size() ||
      from.outputs.size() > function.outputs.size()) {
    return Status::Of(Code::kBadModel, "{} inputs and {} outputs for a function of {} and {}",
                      from.inputs.size(), from.outputs.size(), function.inputs.size(),
                      function.outputs.size());
  }
  Names inner{.builder = names.builder, .prefix = name.substr(0, kMaxPrefix) + "/"};
  for (size_t i = 0; i < function.inputs.size(); ++i) {
    ValueId id = kNoValue;
    if (i < from.inputs.size() && !from.inputs[i].empty()) {
      FERRY_ASSIGN_OR_RETURN(id, Read(from.inputs[i], *around_, names));
    }
    if (!inner.ids.emplace(function.inputs[i], id).second) {
      return Status::Of(Code::kBadModel, "function '{}' has two inputs '{}'", function.name,
                        function.inputs[i]);
    }
  }
  std::vector<std::string> full_names;
  for (size_t i = 0; i < from.outputs.size(); ++i) {
    full_names.push_back(from.outputs[i].empty() ? "" : names.NameInGraph(from.outputs[i]));
    if (!from.outputs[i].empty()) inner.alias.emplace(function.outputs[i], full_names.back());
  }
  for (const OnnxAttribute& attribute : function.defaults) {
    given.try_emplace(attribute.name, Given{&attribute, &inner});
  }
  const Call call{&function, std::move(given), call_};
  call_ = &call;
  const Status filled = Nodes(function.nodes, inner);
  call_ = call.caller;
  FERRY_TRY(filled);
  return CallOutputs(from, function, inner, full_names, names);
}

// Gives the caller's names to what the call made.
Status OnnxImporter::CallOutputs(const OnnxNode& from, const OnnxFunction& function,
                                 const Names& inner, const std::vector<std::string>& full_names,
                                 Names& names) {
  ir::Graph& graph = names.builder->graph;
  for (size_t i = 0; i < from.outputs.size(); ++i) {
    if (from.outputs[i].empty()) continue;
    auto made = inner.ids.find(function.outputs[i]);
    if (made == inner.ids.end()) {
      return Status::Of(Code::kBadModel, "function '{}' never makes its output '{}'", function.name,
                        function.outputs[i]);
    }
    ValueId id = made->second;
    if (id != kNoValue && graph.values[id].name != full_names[i]) {  // passed through
      const ValueId copy = graph.AddValue(full_names[i]);
      ir::Node node;
      node.op = "Identity";
      node.name = full_names[i];
      node.inputs = {id};
      node.outputs = {copy};
      graph.nodes.push_back(std::move(node));
      id = copy;
    }
    if (!names.ids.emplace(from.outputs[i], id).second) return Twice(from.outputs[i]);
  }
  return OkStatus();
}

}  // namespace ferry::formats
