#include "device-runtime/formats/onnx/write.h"

#include <algorithm>

#include "device-runtime/formats/onnx_writer.h"
#include "device-runtime/ops/op.h"

namespace ferry::formats {

using ir::kNoValue;
using ir::ValueId;

namespace {

constexpr int kAnyOpset = 17;  // one that every reader knows

// The IR version that came with an opset, so that readers of its time take the file.
int64_t IrVersionOf(int opset) {
  if (opset <= 18) return 8;
  if (opset <= 20) return 9;
  if (opset <= 22) return 10;
  if (opset == 23) return 11;
  return opset <= 25 ? 12 : 13;
}

bool SameConstant(const ir::Value& a, const ir::Value& b) {
  return a.constant && b.constant && a.constant->raw() == b.constant->raw() &&
         a.constant->dtype() == b.constant->dtype() && a.constant->shape() == b.constant->shape();
}

WireMessage ValueInfo(const std::string& name, const ir::Value& value) {
  WireMessage out;
  out.Text(1, name);
  if (value.dtype) {
    out.Sub(2, OnnxTypeMessage(value.kind, *value.dtype, value.dims ? &*value.dims : nullptr));
  }
  return out;
}

int NewestOpset(const ir::Graph& graph) {
  int newest = 0;
  for (const ir::Node& node : graph.nodes) {
    if (!(node.op.find(':') != std::string::npos)) {
      newest = std::max(newest, node.version == 0 ? ops::kNewestOpset : node.version);
    }
    for (const auto& [key, attribute] : node.attributes) {
      const auto* body = std::get_if<ir::Subgraph>(&attribute);
      if (body != nullptr) newest = std::max(newest, NewestOpset(**body));
    }
  }
  return newest;
}

}  // namespace

bool OnnxWriter::Scope::Has(const std::string& name) const {
  return ids.contains(name) || (outer != nullptr && outer->Has(name));
}

const ir::Value* OnnxWriter::Scope::Find(const std::string& name) const {
  const auto known = ids.find(name);
  if (known != ids.end()) return &graph->values[known->second];
  return outer == nullptr ? nullptr : outer->Find(name);
}

OnnxWriter::Scope OnnxWriter::NameValues(const ir::Graph& graph, const Scope* outer,
                                         const std::vector<std::string>& captured) {
  Scope scope{outer, &graph, std::vector<std::string>(graph.values.size()),
              std::vector<bool>(graph.values.size(), false)};
  const size_t own = graph.inputs.size() - captured.size();
  for (size_t i = 0; i < captured.size(); ++i) {
    scope.names[graph.inputs[own + i]] = captured[i];
    scope.is_outer[graph.inputs[own + i]] = true;
  }
  for (size_t id = 0; id < graph.values.size(); ++id) {
    if (scope.is_outer[id]) continue;
    const ir::Value& value = graph.values[id];
    // A constant that a body shares with a graph around it is written there alone.
    const ir::Value* around = outer == nullptr ? nullptr : outer->Find(value.name);
    const bool is_output = std::ranges::find(graph.outputs, id) != graph.outputs.end();
    if (around != nullptr && !is_output && SameConstant(*around, value)) {
      scope.names[id] = value.name;
      scope.is_outer[id] = true;
      continue;
    }
    std::string name = value.name;
    for (int i = 1; scope.Has(name); ++i) name = fmt::format("{}.{}", value.name, i);
    scope.ids[name] = static_cast<ValueId>(id);
    scope.names[id] = std::move(name);
  }
  return scope;
}

Status OnnxWriter::Outputs(const Scope& scope, WireMessage& out) {
  std::vector<WireMessage> outputs;
  for (ValueId id : scope.graph->outputs) {
    std::string name = scope.names[id];
    if (scope.is_outer[id]) {  // a graph's outputs must be its own values
      name = fmt::format("{}.out{}", name, outputs.size());
      while (scope.Has(name)) name += "_";
      WireMessage node;
      node.Text(1, scope.names[id]).Text(2, name).Text(3, name).Text(4, "Identity");
      out.Sub(1, node);
    }
    outputs.push_back(ValueInfo(name, scope.graph->values[id]));
  }
  for (const WireMessage& output : outputs) out.Sub(12, output);
  return OkStatus();
}

Result<WireMessage> OnnxWriter::GraphMessage(const ir::Graph& graph, const Scope* outer,
                                             const std::vector<std::string>& captured) {
  const Scope scope = NameValues(graph, outer, captured);
  WireMessage out;
  out.Text(2, graph.name);
  for (size_t i = 0; i < graph.inputs.size() - captured.size(); ++i) {
    const ValueId id = graph.inputs[i];
    out.Sub(11, ValueInfo(scope.names[id], graph.values[id]));
  }
  for (size_t id = 0; id < graph.values.size(); ++id) {
    if (!graph.values[id].constant || scope.is_outer[id]) continue;
    auto tensor = TensorMessage(scope.names[id], *graph.values[id].constant);
    if (!tensor.ok()) return tensor.status().Context("constant '{}'", graph.values[id].name);
    out.Sub(5, *tensor);
  }
  for (const ir::Node& node : graph.nodes) {
    WireMessage message;
    FERRY_TRY(Node(node, scope, message).Context("{}", ir::NodeText(node)));
    out.Sub(1, message);
  }
  FERRY_TRY(Outputs(scope, out));
  return out;
}

Result<WireMessage> OnnxWriter::Model() {
  domains_[""] = opset_;
  FERRY_ASSIGN_OR_RETURN(const WireMessage graph, GraphMessage(graph_, nullptr, {}));
  WireMessage out;
  out.Integer(1, IrVersionOf(opset_)).Text(2, "ferry");
  for (const auto& [domain, version] : domains_) {
    out.Sub(8, WireMessage().Text(1, domain).Integer(2, version));
  }
  out.Sub(7, graph);
  return out;
}

namespace {

// The graph with all nodes of the default domain at one opset.
Result<ir::Graph> AtOneOpset(const ir::Graph& graph, const OnnxWriteOptions& options, int& opset) {
  FERRY_TRY(ir::Verify(graph));
  const int newest = NewestOpset(graph);
  opset = options.opset > 0 ? options.opset : newest;
  if (opset == 0) opset = kAnyOpset;  // no node at all
  if (opset < newest) {
    return Status::Of(Code::kUnsupported, "opset {} is wanted, a node follows {}", opset, newest);
  }
  ir::Graph out = graph;
  FERRY_TRY(UpgradeOpset(out, opset));
  return out;
}

Status Replace(sys::FileSystem& fs, const std::string& path,
               const std::function<Status(const std::function<Status(ByteView)>&)>& fill) {
  const std::string beside = path + ".new";
  FERRY_ASSIGN_OR_RETURN(auto file,
                         fs.OpenForWrite(beside, sys::WriteMode::kTruncate, sys::kPublicFile));
  Status status = fill([&](ByteView bytes) { return file->Append(bytes); });
  if (status.ok()) status = file->Sync();
  const Status closed = file->Close();
  if (status.ok()) status = closed;
  if (status.ok()) return fs.Rename(beside, path);
  (void)fs.Remove(beside);
  return status;
}

}  // namespace

Result<Bytes> WriteOnnx(const ir::Graph& graph, const OnnxWriteOptions& options) {
  int opset = 0;
  FERRY_ASSIGN_OR_RETURN(const ir::Graph written, AtOneOpset(graph, options, opset));
  FERRY_ASSIGN_OR_RETURN(const WireMessage model, OnnxWriter(written, opset, nullptr).Model());
  if (model.size() > options.single_file_limit) {
    return Status::Of(Code::kLimitExceeded, "{} bytes pass the limit of {} for one ONNX file",
                      model.size(), options.single_file_limit);
  }
  Bytes out;
  out.reserve(model.size());
  FERRY_TRY(model.Read([&](ByteView bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
    return OkStatus();
  }));
  return out;
}

Status WriteOnnxFile(sys::FileSystem& fs, const std::string& path, const ir::Graph& graph,
                     const OnnxWriteOptions& options) {
  int opset = 0;
  FERRY_ASSIGN_OR_RETURN(const ir::Graph written, AtOneOpset(graph, options, opset));
  FERRY_ASSIGN_OR_RETURN(WireMessage model, OnnxWriter(written, opset, nullptr).Model());
  if (model.size() > options.single_file_limit) {
    OnnxExternal external;
    external.file = path.substr(path.rfind('/') + 1) + ".data";
    FERRY_ASSIGN_OR_RETURN(model, OnnxWriter(written, opset, &external).Model());
    if (model.size() > options.single_file_limit) {
      return Status::Of(Code::kLimitExceeded, "{}: {} bytes without its large tensors", path,
                        model.size());
    }
    FERRY_TRY(Replace(fs, path + ".data", [&](const auto& take) {
      for (ByteView piece : external.pieces) FERRY_TRY(take(piece));
      return OkStatus();
    }));
  }
  FERRY_TRY(Replace(fs, path, [&](const auto& take) { return model.Read(take); }));
  return fs.SyncDirectory(sys::ParentPath(path));
}

}  // namespace ferry::formats
