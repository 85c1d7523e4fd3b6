// Folders of Hugging Face's PEFT: adapter_config.json and adapter_model.safetensors.
#include <cmath>
#include <map>

#include "common/base/json.h"
#include "device-runtime/formats/safetensors.h"
#include "device-runtime/llm/adapter/bind.h"
#include "device-runtime/llm/tokenizer/text/expression.h"
#include "device-runtime/tensor/dtype.h"

namespace ferry::llm {
namespace {

constexpr const char* kPeftConfig = "adapter_config.json";
constexpr const char* kPeftTensors = "adapter_model.safetensors";
constexpr std::string_view kPeftPrefix = "base_model.model.";
constexpr std::string_view kPeftDown = ".lora_A.weight";
constexpr std::string_view kPeftUp = ".lora_B.weight";
constexpr size_t kMaxPatterns = 1024;

// Members that make of an adapter more than low-rank changes of a base as it is.
struct Refused {
  const char* member;
  const char* what;
};
constexpr Refused kRefused[] = {
    {"use_dora", "DoRA changes the lengths of columns as well"},
    {"lora_bias", "biases are not changed"},
    {"modules_to_save", "whole modules are not replaced"},
    {"layer_replication", "layers are not repeated"},
    {"trainable_token_indices", "embeddings are not changed"},
    {"alora_invocation_tokens", "an adapter counts from the first token on"},
    {"use_qalora", "inputs are not pooled"},
};
// Ways of starting that change the base's own weights.
constexpr std::string_view kOtherBases[] = {"pissa", "olora", "corda", "loftq"};

bool IsSet(const Json& config, const char* member) {
  const auto it = config.find(member);
  if (it == config.end() || it->is_null() || *it == false) return false;
  return !((it->is_array() || it->is_object()) && it->empty());
}

// Numbers by pattern: a pattern is a module's name, the end of one, or an expression of PEFT's.
class Patterns {
 public:
  static Result<Patterns> Read(const Json& config, const char* member) {
    Patterns patterns;
    FERRY_ASSIGN_OR_RETURN(const Json* object, GetObjectOrNull(config, member));
    if (object == nullptr) return patterns;
    if (object->size() > kMaxPatterns) {
      return Status::Of(Code::kLimitExceeded, "\"{}\" has over {} patterns", member, kMaxPatterns);
    }
    for (const auto& [pattern, value] : object->items()) {
      if (!value.is_number()) {
        return Status::Of(Code::kMalformed, "\"{}\" of \"{}\" is no number", member, pattern);
      }
      FERRY_ASSIGN_OR_RETURN(
          auto expression,
          Expression::Compile(fmt::format("\\A(?:.*\\.)?(?:{})\\z", pattern), false)
              .Context("\"{}\" of \"{}\"", member, pattern));
      patterns.rows_.emplace_back(std::move(expression), value.get<double>());
    }
    return patterns;
  }

  double Of(const std::string& module, double usual) const {
    for (const auto& [expression, value] : rows_) {
      Expression::Scratch scratch;
      ExpressionBudget budget(module.size());
      Expression::Range range{};
      if (expression->Find(module, 0, scratch, budget, range) == Expression::Found::kMatch) {
        return value;
      }
    }
    return usual;
  }

 private:
  std::vector<std::pair<std::unique_ptr<Expression>, double>> rows_;
};

struct PeftConfig {
  double rank = 0, alpha = 0;
  bool root = false;  // scales by the root of the rank
  Patterns ranks, alphas;
  std::string base;
};

Status CheckPeftKind(const Json& config) {
  FERRY_ASSIGN_OR_RETURN(const std::string kind, GetString(config, "peft_type"));
  if (kind != "LORA") {
    return Status::Of(Code::kUnsupported, "peft_type \"{:.40}\"; supported: LORA", kind);
  }
  for (const Refused& row : kRefused) {
    if (!IsSet(config, row.member)) continue;
    return Status::Of(Code::kUnsupported, "\"{}\" is {:.200}; {}", row.member,
                      WriteJson(config[row.member]), row.what);
  }
  FERRY_ASSIGN_OR_RETURN(const std::string bias, GetStringOr(config, "bias", "none"));
  if (bias != "none") {
    return Status::Of(Code::kUnsupported, "\"bias\" is \"{:.40}\"; supported: none", bias);
  }
  const auto init = config.find("init_lora_weights");
  if (init == config.end() || !init->is_string()) return OkStatus();
  const auto& way = init->get_ref<const std::string&>();
  for (const std::string_view other : kOtherBases) {
    if (!way.starts_with(other)) continue;
    return Status::Of(Code::kUnsupported,
                      "\"init_lora_weights\" is \"{:.40}\", which changes the base as well", way);
  }
  return OkStatus();
}

Result<PeftConfig> ReadPeftConfig(const Json& config) {
  FERRY_TRY(CheckPeftKind(config));
  PeftConfig result;
  FERRY_ASSIGN_OR_RETURN(result.rank, GetNumber(config, "r"));
  FERRY_ASSIGN_OR_RETURN(result.alpha, GetNumberOr(config, "lora_alpha", 8));
  FERRY_ASSIGN_OR_RETURN(result.root, GetBoolOr(config, "use_rslora", false));
  FERRY_ASSIGN_OR_RETURN(result.base, GetStringOr(config, "base_model_name_or_path", ""));
  FERRY_ASSIGN_OR_RETURN(result.ranks, Patterns::Read(config, "rank_pattern"));
  FERRY_ASSIGN_OR_RETURN(result.alphas, Patterns::Read(config, "alpha_pattern"));
  return result;
}

// float16 is widened; the rest is used as it lies.
Result<StoredTensor> StoredOf(const formats::SafetensorsTensor& tensor, const std::string& where,
                              AdapterParts* parts) {
  StoredTensor stored{.shape = tensor.shape, .values = tensor.bytes, .where = where};
  if (tensor.dtype == "BF16") {
    stored.type.rows = kernels::WeightType::kBF16;
  } else if (tensor.dtype == "F16") {
    const size_t count = tensor.bytes.size() / 2;
    FERRY_ASSIGN_OR_RETURN(tensor::Buffer wide,
                           tensor::Buffer::Allocate(static_cast<int64_t>(count * sizeof(float))));
    auto* const out = reinterpret_cast<float*>(wide.data());
    for (size_t i = 0; i < count; ++i) {
      const uint8_t* at = tensor.bytes.data() + 2 * i;
      out[i] = tensor::HalfToFloat(static_cast<uint16_t>(at[0] | at[1] << 8));
    }
    stored.values = {wide.data(), count * sizeof(float)};
    parts->copies.push_back(std::move(wide));
  } else if (tensor.dtype != "F32") {
    return Status::Of(Code::kUnsupported,
                      "{}: tensor \"{}\" is of dtype {}; supported: BF16, F16, F32", where,
                      tensor.name, tensor.dtype);
  }
  return stored;
}

struct Pair {
  const formats::SafetensorsTensor* a = nullptr;
  const formats::SafetensorsTensor* b = nullptr;
};

Result<std::map<std::string, Pair>> PairsOf(const formats::Safetensors& tensors,
                                            const std::string& where) {
  std::map<std::string, Pair> pairs;  // by module
  for (const formats::SafetensorsTensor& tensor : tensors.tensors()) {
    std::string_view name = tensor.name;
    if (name.starts_with(kPeftPrefix)) name.remove_prefix(kPeftPrefix.size());
    if (name.ends_with(kPeftDown)) {
      name.remove_suffix(kPeftDown.size());
      pairs[std::string(name)].a = &tensor;
    } else if (name.ends_with(kPeftUp)) {
      name.remove_suffix(kPeftUp.size());
      pairs[std::string(name)].b = &tensor;
    } else {
      const char* what = "is no lora_A.weight or lora_B.weight";
      if (name.find("lora_magnitude_vector") != name.npos) what = "belongs to DoRA";
      if (name.find("lora_embedding") != name.npos) what = "changes an embedding";
      return Status::Of(Code::kUnsupported, "{}: tensor \"{}\" {}", where, tensor.name, what);
    }
  }
  for (const auto& [module, pair] : pairs) {
    if (pair.a != nullptr && pair.b != nullptr) continue;
    return Status::Of(Code::kBadModel, "{}: \"{}\" has no {}", where, module,
                      pair.a == nullptr ? "lora_A.weight" : "lora_B.weight");
  }
  return pairs;
}

Result<AdapterParts::Change> ChangeOf(const PeftConfig& config, const std::string& module,
                                      const Pair& pair, const std::string& where,
                                      AdapterParts* parts) {
  AdapterParts::Change change{.name = module + ".weight"};
  FERRY_ASSIGN_OR_RETURN(change.a, StoredOf(*pair.a, where, parts));
  FERRY_ASSIGN_OR_RETURN(change.b, StoredOf(*pair.b, where, parts));
  const double rank = config.ranks.Of(module, config.rank);
  if (!(rank >= 1 && rank <= static_cast<double>(kMaxAdapterRank)) || rank != std::floor(rank)) {
    return Status::Of(Code::kLimitExceeded, "{}: \"{}\" has rank {}; 1 to {} can be had", where,
                      module, rank, kMaxAdapterRank);
  }
  change.rank = static_cast<int64_t>(rank);
  change.scale = config.alphas.Of(module, config.alpha) / (config.root ? std::sqrt(rank) : rank);
  return change;
}

}  // namespace

Result<AdapterParts> ReadPeftFolder(sys::FileSystem& fs, const std::string& folder) {
  const std::string config_path = sys::JoinPath(folder, kPeftConfig);
  FERRY_ASSIGN_OR_RETURN(const Bytes text, sys::ReadFile(fs, config_path, kMaxJsonBytes));
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(AsText(text)).Context("{}", config_path));
  if (!json.is_object()) {
    return Status::Of(Code::kMalformed, "{}: wanted an object, found {}", config_path,
                      json.type_name());
  }
  FERRY_ASSIGN_OR_RETURN(const PeftConfig config, ReadPeftConfig(json).Context("{}", config_path));
  const std::string path = sys::JoinPath(folder, kPeftTensors);
  if (!sys::Exists(fs, path) && sys::Exists(fs, sys::JoinPath(folder, "adapter_model.bin"))) {
    return Status::Of(Code::kUnsupported,
                      "{} has adapter_model.bin; only {} is read: save it with safetensors", folder,
                      kPeftTensors);
  }
  FERRY_ASSIGN_OR_RETURN(std::shared_ptr<const sys::MappedFile> file, fs.Map(path));
  FERRY_ASSIGN_OR_RETURN(const formats::Safetensors tensors,
                         formats::Safetensors::Read(file->bytes(), path));
  AdapterParts parts;
  parts.source = folder;
  parts.base_name = config.base;
  FERRY_ASSIGN_OR_RETURN(const auto pairs, PairsOf(tensors, path));
  for (const auto& [module, pair] : pairs) {
    FERRY_ASSIGN_OR_RETURN(auto change, ChangeOf(config, module, pair, path, &parts));
    parts.changes.push_back(std::move(change));
  }
  parts.owners.push_back(std::move(file));
  return parts;
}

}  // namespace ferry::llm
