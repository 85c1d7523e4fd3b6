#include <map>

#include "common/base/json.h"
#include "device-runtime/llm/load/gguf/gguf.h"
#include "device-runtime/llm/template/source.h"
#include "device-runtime/llm/tokenizer/sources/sources.h"

namespace ferry::llm {
namespace {

using formats::Gguf;

class GgufTensors final : public TensorSource {
 public:
  GgufTensors(Gguf file, std::string architecture)
      : file_(std::move(file)), architecture_(std::move(architecture)) {}

  const formats::GgufTensor* FindRaw(const std::string& name, int64_t* expert) const {
    const std::string own = GgufTensorName(architecture_, name, expert);
    return own.empty() ? nullptr : file_.FindTensor(own);
  }
  bool Has(const std::string& name) const {
    int64_t expert = -1;
    return FindRaw(name, &expert) != nullptr;
  }

  Result<std::optional<StoredTensor>> Find(const std::string& name) const override {
    if (const auto it = made_.find(name); it != made_.end()) return std::optional(it->second);
    int64_t expert = -1;
    const formats::GgufTensor* tensor = FindRaw(name, &expert);
    if (tensor == nullptr) return std::optional<StoredTensor>();
    if (threads_ == nullptr) threads_ = sys::StartThreadPool(0);
    FERRY_ASSIGN_OR_RETURN(StoredTensor stored, StoreGgufTensor(*tensor, expert, *threads_));
    if (stored.owner != nullptr) made_[name] = stored;
    return std::optional(std::move(stored));
  }

 private:
  Gguf file_;
  std::string architecture_;
  mutable std::unique_ptr<sys::Parallel> threads_;
  mutable std::map<std::string, StoredTensor> made_;  // what was made once is not made again
};

// Biases are where the file has them, whatever the family; norms are whole; rows of queries and
// keys stand as the architecture has them.
void FitToFile(const GgufTensors& tensors, const GgufArchitecture& architecture,
               ReadModelConfig* config) {
  config->rules = {};
  config->may_tie = false;
  for (size_t i = 0; i < config->description.layers.size(); ++i) {
    LayerDescription& layer = config->description.layers[i];
    const auto has_bias = [&](const std::string& name) {
      return !name.empty() && tensors.Has(BiasName(TensorName(name, static_cast<int64_t>(i))));
    };
    AttentionPart& a = layer.attention;
    a.bias = has_bias(a.fused == FusedKind::kSeparate ? a.query : a.all);
    a.out_bias = has_bias(a.out);
    layer.dense.bias = has_bias(layer.dense.down);
    if (architecture.interleaved && layer.rotary.form == RotaryForm::kHalves) {
      layer.rotary.form = RotaryForm::kInterleaved;
    }
  }
}

bool HasFewBits(const Gguf& file) {
  for (const formats::GgufTensor& tensor : file.tensors()) {
    const formats::GgufTensorType* type = formats::FindGgufTensorType(tensor.type);
    if (type != nullptr && type->block_values > 1) return true;
  }
  return false;
}

Result<GgufArchitecture> ArchitectureOf(const Gguf& file) {
  const formats::GgufValue* parts = file.Find("split.count");
  const auto count = parts == nullptr ? std::nullopt : parts->Integer();
  if (count && *count > 1) {
    return Status::Of(Code::kUnsupported,
                      "the file is one of {} that a model was split into; merge them first",
                      *count);
  }
  const formats::GgufValue* value = file.Find("general.architecture");
  const auto name = value == nullptr ? std::nullopt : value->Text();
  if (!name) return Status(Code::kBadModel, "there is no text general.architecture");
  return FindGgufArchitecture(*name);
}

}  // namespace

Result<ModelParts> ReadGguf(ByteView bytes, std::shared_ptr<const void> owner) {
  FERRY_ASSIGN_OR_RETURN(Gguf file, Gguf::Read(bytes, "GGUF"));
  FERRY_ASSIGN_OR_RETURN(const GgufArchitecture architecture, ArchitectureOf(file));
  FERRY_ASSIGN_OR_RETURN(const Json config, GgufConfig(file, architecture));
  ModelParts parts;
  parts.source = "GGUF";
  parts.owners.push_back(std::move(owner));
  FERRY_ASSIGN_OR_RETURN(parts.config, ReadConfig(config, nullptr));
  parts.quantized = HasFewBits(file);
  parts.tokenizer = TokenizerFromGguf(file);
  auto chat = TemplateFromGguf(file);
  if (chat.ok()) {
    parts.chat_template = std::move(chat->chat_template);
  } else {
    parts.chat_template = chat.status();
  }
  auto tensors = std::make_unique<GgufTensors>(std::move(file), std::string(architecture.name));
  FitToFile(*tensors, architecture, &parts.config);
  FERRY_TRY(CheckDescription(parts.config.description));
  parts.tensors = std::move(tensors);
  return parts;
}

}  // namespace ferry::llm
