#include "device-runtime/formats/onnx/import.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "common/sys/files/file_kind.h"
#include "device-runtime/formats/onnx.h"
#include "device-runtime/ops/onnx_types.h"
#include "device-runtime/ops/op.h"

namespace ferry::formats {

using ir::kNoValue;
using ir::ValueId;

namespace {

constexpr size_t kMostNamed = 50;  // problems in one message
constexpr size_t kMaxOpsets = 1000;

// Optional outputs that nobody reads (Dropout's mask) go, so that operators need not make them.
void DropSpareOutputs(ir::Graph& graph) {
  const std::vector<int> uses = graph.UseCounts();
  for (ir::Node& node : graph.nodes) {
    const ops::Op* op = ops::FindOp(node.op);
    const auto most = static_cast<size_t>(op == nullptr ? ops::kAnyCount : op->max_outputs);
    while (node.outputs.size() > most &&
           (node.outputs.back() == kNoValue || uses[node.outputs.back()] == 0)) {
      node.outputs.pop_back();
    }
  }
  graph.CompactValues();
}

Result<OnnxModel> ReadModel(ByteView bytes, OnnxFiles* files) {
  FERRY_ASSIGN_OR_RETURN(OnnxModel model, OnnxReader(bytes, files).Model());
  if (!model.has_graph) return Status(Code::kBadModel, "not an ONNX model: it holds no graph");
  return model;
}

Result<ir::Graph> Import(ByteView bytes, OnnxFiles* files, Status* unknown) {
  auto model = ReadModel(bytes, files);
  const std::string_view kind = model.ok() ? "" : sys::FileKind(bytes);
  if (!kind.empty()) return Status::Of(Code::kBadModel, "not an ONNX model, but {}", kind);
  if (!model.ok()) return model.status();
  return OnnxImporter(*model).Run(unknown);
}

}  // namespace

Status Twice(const std::string& name) {
  return Status::Of(Code::kBadModel, "two values are named '{}'", name);
}

OnnxImporter::OnnxImporter(const OnnxModel& model) : model_(model) {
  for (const OnnxFunction& function : model.functions) {
    functions_.try_emplace({function.domain, function.name, function.overload}, &function);
  }
}

Result<ir::Graph> OnnxImporter::Run(Status* unknown) {
  FERRY_TRY(CheckOpsets());
  GraphBuilder builder(nullptr);
  Names names{.builder = &builder};
  builder.graph.name = model_.graph.name.empty() ? "graph" : model_.graph.name;
  FERRY_TRY(FillGraph(model_.graph, names));
  if (builder.graph.outputs.empty()) return Status(Code::kBadModel, "the graph has no output");
  FERRY_TRY(Finish(builder.graph, unknown));
  return std::move(builder.graph);
}

Status OnnxImporter::Finish(const ir::Graph& graph, Status* unknown) const {
  const Status checked = ops::CheckNodes(graph);
  if (problem_count_ > 0) {
    return Status::Of(Code::kUnsupported, "{}{}{}{}", fmt::join(problems_, "; "),
                      problem_count_ > problems_.size() ? "; ..." : "", checked.ok() ? "" : "; ",
                      checked.message());
  }
  if (checked.code() == Code::kUnsupportedOperator) {
    if (unknown == nullptr) return checked;
    *unknown = checked;
    return ir::Verify(graph);
  }
  FERRY_TRY(ir::Verify(graph));
  return checked;
}

Status OnnxImporter::Note(Status status) {
  if (status.code() != Code::kUnsupported) return status;
  if (++problem_count_ <= kMostNamed) problems_.push_back(status.message());
  return OkStatus();
}

Status OnnxImporter::CheckOpsets() const {
  auto check = [](const OnnxOpsets& opsets) {
    if (opsets.rows.size() > kMaxOpsets) {
      return Status::Of(Code::kLimitExceeded, "more than {} opsets", kMaxOpsets);
    }
    for (const auto& [domain, version] : opsets.rows) {
      if (domain.empty() && (version < 1 || version > ops::kNewestOpset)) {
        return Status::Of(Code::kUnsupported, "opset {} is outside 1 to {}", version,
                          ops::kNewestOpset);
      }
    }
    return OkStatus();
  };
  FERRY_TRY(check(model_.opsets));
  for (const OnnxFunction& function : model_.functions) {
    FERRY_TRY(check(function.opsets).Context("function '{}'", function.name));
  }
  return OkStatus();
}

int OnnxImporter::Version(std::string_view domain) const {
  int64_t version = call_ == nullptr ? 0 : call_->function->opsets.Of(domain);
  if (version == 0) version = model_.opsets.Of(domain);
  if (version == 0 && model_.opsets.rows.empty()) version = 1;  // files from before opsets
  return version >= 1 && version <= 1000 ? static_cast<int>(version) : 0;
}

Status OnnxImporter::FillGraph(const OnnxGraph& from, Names& names) {
  FERRY_TRY(ChargeGraph(from));
  GraphBuilder& builder = *names.builder;
  for (const OnnxTensor& tensor : from.initializers) builder.Reserve(tensor.name);
  for (const OnnxValueInfo& input : from.inputs) builder.Reserve(input.name);
  for (const OnnxNode& node : from.nodes) {
    for (const std::string& name : node.outputs) builder.Reserve(name);
  }
  for (const OnnxTensor& tensor : from.initializers) {
    if (tensor.name.empty()) return Status(Code::kBadModel, "an initializer has no name");
    FERRY_TRY(Note(tensor.problem));
    if (!names.Declare(tensor.name, tensor.tensor)) return Twice(tensor.name);
  }
  for (const OnnxValueInfo& input : from.inputs) FERRY_TRY(Input(input, names));
  FERRY_TRY(Nodes(from.nodes, names));
  for (const OnnxValueInfo& output : from.outputs) FERRY_TRY(Output(output, names));
  builder.AddCapturedInputs();
  DropSpareOutputs(builder.graph);
  return OkStatus();
}

Status OnnxImporter::Input(const OnnxValueInfo& input, Names& names) {
  ir::Graph& graph = names.builder->graph;
  if (input.name.empty()) return Status(Code::kBadModel, "an input has no name");
  auto known = names.ids.find(input.name);
  if (known != names.ids.end()) {  // up to IR version 3 initializers were listed as inputs too
    return graph.IsConstant(known->second) ? OkStatus() : Twice(input.name);
  }
  ValueId id = kNoValue;
  names.Declare(input.name, id);
  graph.inputs.push_back(id);
  ir::Value& value = graph.values[id];
  value.kind = input.type.kind;
  if (input.type.has_shape) value.dims = input.type.dims;
  // The types of a body's inputs come from the node.
  if (names.outer != nullptr && (input.type.element == 0 || !input.type.problem.ok())) {
    return OkStatus();
  }
  FERRY_TRY(Note(input.type.problem.Context("input '{}'", input.name)));
  if (!input.type.problem.ok()) return OkStatus();
  auto dtype = ops::DTypeOfOnnx(input.type.element);
  if (dtype.ok()) value.dtype = *dtype;
  return Note(dtype.status().Context("input '{}'", input.name));
}

Status OnnxImporter::Output(const OnnxValueInfo& output, const Names& names) {
  ir::Graph& graph = names.builder->graph;
  ValueId id = kNoValue;
  if (!names.Find(output.name, *names.builder, id) || id == kNoValue) {
    return Status::Of(Code::kBadModel, "graph output '{}' is never made", output.name);
  }
  graph.outputs.push_back(id);
  ir::Value& value = graph.values[id];
  if (value.constant || value.dtype || !output.type.problem.ok()) return OkStatus();
  auto dtype = ops::DTypeOfOnnx(output.type.element);
  if (!dtype.ok()) return OkStatus();  // a missing type: the shape rules will tell
  value.kind = output.type.kind;
  value.dtype = *dtype;
  if (output.type.has_shape && output.type.dims.size() <= tensor::kMaxRank) {
    value.dims = output.type.dims;
  }
  return OkStatus();
}

Result<ir::Subgraph> OnnxImporter::Body(const OnnxGraph& from, const Names& names,
                                        GraphBuilder& parent, std::vector<ValueId>& captured) {
  GraphBuilder builder(&parent);
  if (builder.depth() > ir::kMaxGraphDepth) {
    return Status::Of(Code::kLimitExceeded, "bodies are nested more than {} deep",
                      ir::kMaxGraphDepth);
  }
  Names inner{.builder = &builder, .outer = &names};
  builder.graph.name = from.name.empty() ? "body" : from.name;
  FERRY_TRY(FillGraph(from, inner));
  captured.insert(captured.end(), builder.captured().begin(), builder.captured().end());
  return std::make_shared<const ir::Graph>(std::move(builder.graph));
}

Result<ir::Graph> ImportOnnx(ByteView bytes, Status* unknown) {
  if (bytes.size() > kMaxOnnxBytes) {
    return Status::Of(Code::kLimitExceeded, "{} bytes pass the limit of {}", bytes.size(),
                      kMaxOnnxBytes);
  }
  return Import(bytes, nullptr, unknown);
}

Result<ir::Graph> ImportOnnxFile(sys::FileSystem& fs, const std::string& path, OnnxTensors tensors,
                                 Status* unknown) {
  FERRY_ASSIGN_OR_RETURN(OnnxFiles files, OnnxFiles::Open(fs, path));
  files.keeps_unaligned = tensors == OnnxTensors::kAsStored;
  return Import(files.model().bytes, &files, unknown).Context("{}", path);
}

}  // namespace ferry::formats
