#include "device-runtime/llm/model.h"

#include "common/base/check.h"
#include "device-runtime/llm/adapter/adapter.h"
#include "device-runtime/llm/device/device.h"
#include "device-runtime/llm/file/checked.h"
#include "device-runtime/llm/file/reader.h"
#include "device-runtime/llm/file/section.h"
#include "device-runtime/llm/kv/kv_cache.h"
#include "device-runtime/llm/load/gguf/gguf.h"
#include "device-runtime/llm/load/parts.h"
#include "device-runtime/llm/workspace.h"

namespace ferry::llm {

Result<std::shared_ptr<const Model>> Model::Load(sys::FileSystem& fs, const std::string& path,
                                                 const LoadOptions& options) {
  FERRY_ASSIGN_OR_RETURN(const sys::FileInfo info, fs.Stat(path));
  if (info.is_directory) {
    FERRY_ASSIGN_OR_RETURN(ModelParts parts, ReadFolder(fs, path, options.family));
    return BuildModel(std::move(parts), options);
  }
  if (!options.family.empty()) {
    return Status::Of(
        Code::kInvalidArgument,
        "{} is a model file and has a description of its own; a family is for folders", path);
  }
  FERRY_ASSIGN_OR_RETURN(std::shared_ptr<const sys::MappedFile> file, fs.Map(path));
  const ByteView bytes = file->bytes();
  FERRY_ASSIGN_OR_RETURN(std::shared_ptr<const Model> model,
                         FromBytes(bytes, std::move(file), options).Context("{}", path));
  const State& state = model->state();
  if (!state.check) return model;
  state.check = [check = std::move(state.check), path] { return check().Context("{}", path); };
  if (options.checked.empty()) return model;
  const CheckedFile checked(fs, options.checked, info, bytes);
  if (checked.known()) {
    state.check = nullptr;
  } else {
    state.remember = [checked] { checked.Remember(); };
  }
  return model;
}

Result<std::shared_ptr<const Model>> Model::FromBytes(ByteView file,
                                                      std::shared_ptr<const void> owner,
                                                      const LoadOptions& options) {
  const bool gguf = formats::Gguf::IsGguf(file);
  FERRY_ASSIGN_OR_RETURN(ModelParts parts,
                         gguf ? ReadGguf(file, std::move(owner))
                              : ReadModelFile(file, std::move(owner), options.memory_bytes > 0));
  // Rows of 8 bits meet its weights unless told: half precision is far within that error.
  if (!options.exact && (!gguf || parts.quantized)) {
    parts.config.config.kv_type = kernels::KvType::kF16;
  }
  return BuildModel(std::move(parts), options);
}

Status Model::Ready() const {
  std::call_once(state_->ready_once, [this] {
    if (state_->check) state_->ready = state_->check();
    state_->check = nullptr;
    if (state_->ready.ok() && state_->remember) state_->remember();
    state_->remember = nullptr;
  });
  return state_->ready;
}

Model::Model(std::unique_ptr<State> state) : state_(std::move(state)) {}
Model::~Model() = default;

const ModelConfig& Model::config() const {
  return state_->config.config;
}
const Device& Model::device() const {
  return *state_->device;
}
Result<std::shared_ptr<KvPool>> Model::NewKvPool(const KvOptions& options) const {
  return state_->device->NewKvPool(config(), options);
}
Result<Workspace> Model::NewWorkspace(int64_t tokens) const {
  return state_->device->NewWorkspace(config(), tokens);
}
const Description& Model::description() const {
  return state_->config.description;
}
const MatrixType& Model::weight_type() const {
  return state_->weight_type;
}
bool Model::quantized() const {
  return state_->quantized;
}
int64_t Model::parameters() const {
  return state_->parameters;
}
int64_t Model::weight_bytes() const {
  return state_->weight_bytes;
}

int64_t Model::streamed_bytes() const {
  return state_->network->streamed_bytes();
}

Result<const Tokenizer*> Model::tokenizer() const {
  if (!state_->tokenizer.ok()) return state_->tokenizer.status();
  return static_cast<const Tokenizer*>(state_->tokenizer->get());
}

Result<const ChatTemplate*> Model::chat_template() const {
  if (!state_->chat_template.ok()) return state_->chat_template.status();
  return static_cast<const ChatTemplate*>(state_->chat_template->get());
}

const Digest& Model::digest() const {
  std::call_once(state_->digest_once, [this] { state_->digest = ModelDigest(*state_); });
  return state_->digest;
}

void Model::Forward(std::span<const Chunk> chunks, Workspace& workspace,
                    sys::Parallel& parallel) const {
  for (const Chunk& chunk : chunks) {
    CHECK(chunk.adapters == nullptr || &chunk.adapters->base() == this);
  }
  state_->network->Forward({chunks, workspace, parallel});
}

Status Model::CheckTokens(std::span<const TokenId> tokens, int64_t length) const {
  const ModelConfig& config = state_->config.config;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] >= 0 && tokens[i] < config.vocabulary) continue;
    return Status::Of(Code::kInvalidArgument,
                      "token {} at place {} is outside the vocabulary of {}", tokens[i], i,
                      config.vocabulary);
  }
  if (config.encoder && length > 0 && !tokens.empty()) {
    return Status::Of(Code::kFailedPrecondition,
                      "{} reads a text in one piece: {} tokens behind {}", config.architecture,
                      tokens.size(), length);
  }
  const int64_t most = config.encoder ? std::min(config.context, kMaxChunkTokens) : config.context;
  if (static_cast<int64_t>(tokens.size()) <= most - length) return OkStatus();
  return Status::Of(Code::kLimitExceeded, "{} tokens behind {} pass the context of {}",
                    tokens.size(), length, most);
}

Status Model::CheckContinues() const {
  const ModelConfig& config = state_->config.config;
  if (!config.encoder) return OkStatus();
  return Status::Of(Code::kFailedPrecondition,
                    "{} is an encoder: it says {} numbers of each token and continues no text "
                    "(ferry llm logits)",
                    config.architecture, config.outputs);
}

int64_t Model::WorkspaceBytes(int64_t tokens) const {
  return Workspace::Bytes(state_->config.config, tokens);
}

}  // namespace ferry::llm
