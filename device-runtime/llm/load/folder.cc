// A Hugging Face folder: config.json, weights in one safetensors file or in shards, tokenizer, chat
// template.
#include <map>

#include "device-runtime/formats/safetensors.h"
#include "device-runtime/llm/load/parts.h"
#include "device-runtime/llm/load/stored/form.h"
#include "device-runtime/llm/template/source.h"

namespace ferry::llm {
namespace {

constexpr const char* kSingle = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";

Result<Json> ReadJsonFile(sys::FileSystem& fs, const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const Bytes text, sys::ReadFile(fs, path, kMaxJsonBytes));
  FERRY_ASSIGN_OR_RETURN(Json json, ParseJson(AsText(text)).Context("{}", path));
  if (json.is_object()) return json;
  return Status::Of(Code::kMalformed, "{}: wanted an object, found {}", path, json.type_name());
}

class FolderTensors final : public RawTensors {
 public:
  FolderTensors(sys::FileSystem& fs, std::string folder) : fs_(fs), folder_(std::move(folder)) {}

  Status OpenSingle() { return Open(kSingle).status(); }

  Status OpenShards() {
    const std::string path = sys::JoinPath(folder_, kIndex);
    FERRY_ASSIGN_OR_RETURN(const Json index, ReadJsonFile(fs_, path));
    FERRY_ASSIGN_OR_RETURN(const Json* map, GetObject(index, "weight_map").Context("{}", path));
    for (const auto& [tensor, file] : map->items()) {
      if (!file.is_string() || !IsPlainName(file.get_ref<const std::string&>())) {
        return Status::Of(Code::kBadModel, "{}: weight_map has no plain file name for \"{}\"", path,
                          tensor);
      }
      FERRY_ASSIGN_OR_RETURN(
          const Shard* shard,
          Open(file.get_ref<const std::string&>()).Context("a shard of {}", path));
      shard_of_[tensor] = shard;
    }
    sharded_ = true;
    return OkStatus();
  }

  Result<std::optional<RawTensor>> Find(const std::string& name) const override {
    const Shard* shard = nullptr;
    if (!sharded_) {
      shard = &shards_.begin()->second;
    } else if (const auto it = shard_of_.find(name); it != shard_of_.end()) {
      shard = it->second;
    } else {
      return std::optional<RawTensor>();
    }
    const formats::SafetensorsTensor* tensor = shard->tensors.Find(name);
    if (tensor == nullptr) {
      if (!sharded_) return std::optional<RawTensor>();
      return Status::Of(Code::kBadModel, "{}: tensor \"{}\" is not there, but {} says so",
                        shard->path, name, kIndex);
    }
    return std::optional(RawTensor{name, tensor->dtype, tensor->shape, tensor->bytes, shard->path});
  }

  std::vector<std::shared_ptr<const void>> owners() const {
    std::vector<std::shared_ptr<const void>> result;
    for (const auto& [name, shard] : shards_) result.push_back(shard.file);
    return result;
  }

 private:
  struct Shard {
    std::string path;
    std::shared_ptr<const sys::MappedFile> file;
    formats::Safetensors tensors;
  };

  static bool IsPlainName(const std::string& name) {
    return !name.empty() && name != "." && name != ".." &&
           name.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
  }

  Result<const Shard*> Open(const std::string& name) {
    if (const auto it = shards_.find(name); it != shards_.end()) return &it->second;
    Shard shard{sys::JoinPath(folder_, name), nullptr, {}};
    FERRY_ASSIGN_OR_RETURN(shard.file, fs_.Map(shard.path));
    FERRY_ASSIGN_OR_RETURN(shard.tensors,
                           formats::Safetensors::Read(shard.file->bytes(), shard.path));
    return &shards_.emplace(name, std::move(shard)).first->second;
  }

  sys::FileSystem& fs_;
  std::string folder_;
  std::map<std::string, Shard> shards_;  // by file name
  bool sharded_ = false;
  std::map<std::string, const Shard*> shard_of_;  // by tensor
};

Result<std::unique_ptr<Tokenizer>> ReadTokenizer(sys::FileSystem& fs, const std::string& folder) {
  auto tokenizer = LoadTokenizerFolder(fs, folder);
  if (tokenizer.code() != Code::kNotFound) return tokenizer;
  return Status(Code::kFailedPrecondition, tokenizer.status().message());
}

Result<std::unique_ptr<ChatTemplate>> ReadTemplate(sys::FileSystem& fs, const std::string& folder) {
  FERRY_ASSIGN_OR_RETURN(TemplateSource source, LoadTemplateFolder(fs, folder));
  return std::move(source.chat_template);
}

}  // namespace

Result<ModelParts> ReadFolder(sys::FileSystem& fs, const std::string& folder,
                              const std::string& family) {
  ModelParts parts;
  parts.source = folder;
  const std::string path = sys::JoinPath(folder, "config.json");
  FERRY_ASSIGN_OR_RETURN(const Json config, ReadJsonFile(fs, path));
  const std::string generation_path = sys::JoinPath(folder, "generation_config.json");
  std::optional<Json> generation;
  if (sys::Exists(fs, generation_path)) {
    FERRY_ASSIGN_OR_RETURN(generation, ReadJsonFile(fs, generation_path));
  }
  FERRY_ASSIGN_OR_RETURN(
      parts.config,
      ReadConfig(config, generation ? &*generation : nullptr, family).Context("{}", path));
  FERRY_ASSIGN_OR_RETURN(Quantization quantization, ReadQuantization(config).Context("{}", path));
  auto tensors = std::make_unique<FolderTensors>(fs, folder);
  if (sys::Exists(fs, sys::JoinPath(folder, kSingle))) {
    FERRY_TRY(tensors->OpenSingle());
  } else if (sys::Exists(fs, sys::JoinPath(folder, kIndex))) {
    FERRY_TRY(tensors->OpenShards());
  } else {
    return Status::Of(Code::kNotFound, "{} has neither {} nor {}", folder, kSingle, kIndex);
  }
  parts.owners = tensors->owners();
  parts.quantized = !quantization.method.empty();
  parts.tensors = std::make_unique<StoredTensors>(std::move(tensors), std::move(quantization),
                                                  parts.config.rules);
  parts.tokenizer = ReadTokenizer(fs, folder);
  parts.chat_template = ReadTemplate(fs, folder);
  return parts;
}

}  // namespace ferry::llm
