// Opening models: files, memory, descriptors.
#include "device-runtime/api/engine/engine_handle.h"

#include <algorithm>
#include <cstring>

#include "common/sys/filesystem.h"
#include "common/sys/posix/map_descriptor.h"
#include "device-runtime/formats/onnx.h"
#include "device-runtime/ir/graph.h"

namespace ferry::api {
namespace {

constexpr std::string_view kFerryModel = "FERRYMDL";
constexpr std::string_view kLanguageModel =
    "\x89"
    "FLM";

bool StartsWith(ByteView bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

// The file's name without folder and ending, which a model without a name of its own has.
std::string Stem(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return name.substr(0, name.rfind('.'));
}

const tensor::Tensor* ConstantOf(const ir::Graph& graph, ir::ValueId id) {
  return graph.IsConstant(id) ? &*graph.values[id].constant : nullptr;
}

// Scale and zero point of DequantizeLinear or QuantizeLinear, where they are one for all.
ferry_engine::Affine AffineOf(const ir::Graph& graph, const ir::Node& node) {
  const tensor::Tensor* scale = node.HasInput(1) ? ConstantOf(graph, node.inputs[1]) : nullptr;
  if (scale == nullptr || scale->elements() != 1) return {};
  ferry_engine::Affine out{scale->Number(0), 0};
  if (!node.HasInput(2)) return out;
  const tensor::Tensor* zero = ConstantOf(graph, node.inputs[2]);
  if (zero == nullptr || zero->elements() != 1 || !tensor::IsInteger(zero->dtype())) return {};
  out.zero_point = zero->Integer(0);
  return out;
}

void FindAffines(ferry_engine& engine) {
  const ir::Graph& graph = engine.model->graph();
  engine.inputs.resize(engine.model->inputs().size());
  engine.outputs.resize(engine.model->outputs().size());
  for (const ir::Node& node : graph.nodes) {
    if (node.op == "DequantizeLinear" && node.HasInput(0)) {
      for (size_t i = 0; i < graph.inputs.size() && i < engine.inputs.size(); ++i)
        if (graph.inputs[i] == node.inputs[0]) engine.inputs[i] = AffineOf(graph, node);
    } else if (node.op == "QuantizeLinear") {
      for (size_t i = 0; i < graph.outputs.size() && i < engine.outputs.size(); ++i)
        if (graph.outputs[i] == node.outputs[0]) engine.outputs[i] = AffineOf(graph, node);
    }
  }
}

Status CheckNoLanguageModel(ByteView bytes) {
  if (!StartsWith(bytes, kLanguageModel)) return OkStatus();
  return Status(Code::kUnsupported, "a language model: ferry_model_open opens it");
}

Result<std::shared_ptr<const engine::Model>> OpenFile(const std::string& path) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  FERRY_ASSIGN_OR_RETURN(const sys::FileInfo info, fs.Stat(path));
  if (info.is_directory) return Status(Code::kBadModel, "a folder, not a model file");
  FERRY_ASSIGN_OR_RETURN(std::shared_ptr<const sys::MappedFile> file, fs.Map(path));
  if (StartsWith(file->bytes(), kFerryModel)) return engine::Model::FromBytes(file->bytes(), file);
  FERRY_TRY(CheckNoLanguageModel(file->bytes()));
  // Its tensors may lie in files beside it.
  FERRY_ASSIGN_OR_RETURN(ir::Graph graph,
                         formats::ImportOnnxFile(fs, path, formats::OnnxTensors::kAsStored));
  return engine::Model::FromGraph(std::move(graph), {Stem(path)});
}

// Calls the app's `release` when the last user of its memory is gone.
std::shared_ptr<const void> KeepAlive(void (*release)(void*), void* context) {
  if (release == nullptr) return std::make_shared<int>(0);
  return {context != nullptr ? context : reinterpret_cast<void*>(release),
          [release, context](const void*) {
            const CallbackScope inside;
            CallApp("release", [&] { release(context); });
          }};
}

int Give(const Result<std::shared_ptr<const engine::Model>>& model, const std::string& where,
         const ferry_engine_options* options, ferry_engine** out) {
  Status status = model.ok() ? OpenEngine(*model, options, out) : model.status();
  // The importer names the file by itself.
  if (!status.ok() && !where.empty() && status.message().find(where) == std::string::npos)
    status = status.WithPrefix(where);
  return Return(status);
}

}  // namespace

Status OpenEngine(std::shared_ptr<const engine::Model> model, const ferry_engine_options* options,
                  ferry_engine** out) {
  if (options != nullptr && FERRY_MEMBER(options, verify, 0) != 0) {
    const Status verified = model->VerifyWeights();
    if (!verified.ok() && verified.code() != Code::kUnsupported) return verified;
  }
  auto engine = std::make_shared<ferry_engine>();
  engine->model = std::move(model);
  FindAffines(*engine);
  return Open(std::move(engine), out);
}

Result<std::shared_ptr<const engine::Model>> ReadEngine(ByteView bytes,
                                                        std::shared_ptr<const void> keep_alive,
                                                        const std::string& name) {
  if (StartsWith(bytes, kFerryModel)) return engine::Model::FromBytes(bytes, std::move(keep_alive));
  FERRY_TRY(CheckNoLanguageModel(bytes));
  FERRY_ASSIGN_OR_RETURN(ir::Graph graph, formats::ImportOnnx(bytes));
  return engine::Model::FromGraph(std::move(graph), {name});
}

}  // namespace ferry::api

using ferry::api::CheckOptions;
using ferry::api::Missing;
using ferry::api::Return;

extern "C" {

int ferry_engine_open(const char* path, const ferry_engine_options* options, ferry_engine** out) {
  if (out == nullptr) return Missing("out");
  *out = nullptr;
  if (path == nullptr) return Missing("path");
  if (auto sized = CheckOptions(options, "ferry_engine_options"); !sized.ok()) return Return(sized);
  return ferry::api::Give(ferry::api::OpenFile(path), path, options, out);
}

int ferry_engine_open_memory(const void* bytes, size_t size, const ferry_engine_options* options,
                             void (*release)(void* context), void* context, ferry_engine** out) {
  const std::shared_ptr<const void> keep = ferry::api::KeepAlive(release, context);
  if (out == nullptr) return Missing("out");
  *out = nullptr;
  if (bytes == nullptr) return Missing("bytes");
  if (auto sized = CheckOptions(options, "ferry_engine_options"); !sized.ok()) return Return(sized);
  const ferry::ByteView view(static_cast<const uint8_t*>(bytes), size);
  return ferry::api::Give(ferry::api::ReadEngine(view, keep, "model"), "", options, out);
}

int ferry_engine_open_descriptor(int descriptor, uint64_t offset, uint64_t length,
                                 const ferry_engine_options* options, ferry_engine** out) {
  if (out == nullptr) return Missing("out");
  *out = nullptr;
  if (auto sized = CheckOptions(options, "ferry_engine_options"); !sized.ok()) return Return(sized);
  auto file = ferry::sys::MapDescriptor(descriptor, offset, length);
  const std::string where = "descriptor " + std::to_string(descriptor);
  if (!file.ok()) return Return(file.status().WithPrefix(where));
  const std::shared_ptr<const ferry::sys::MappedFile> mapped = *std::move(file);
  return ferry::api::Give(ferry::api::ReadEngine(mapped->bytes(), mapped, "model"), where, options,
                          out);
}

void ferry_engine_close(ferry_engine* engine) {
  ferry::api::Close(engine);
}

}  // extern "C"
