// Metadata to the members of config.json that families read.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "common/base/json.h"
#include "common/base/nearest.h"
#include "device-runtime/llm/load/gguf/gguf.h"

namespace ferry::llm {
namespace {

using formats::Gguf;
using formats::GgufTensor;
using formats::GgufValue;

constexpr GgufArchitecture kArchitectures[] = {
#define FERRY_GGUF(name, model_type, members, interleaved) {name, model_type, members, interleaved},
#include "device-runtime/llm/load/gguf/architectures.inc"
#undef FERRY_GGUF
};

// Keys behind "NAME." and the members that they are.
struct KeyRow {
  std::string_view key, member;
};
constexpr KeyRow kKeys[] = {
    {"attention.head_count", "num_attention_heads"},
    {"attention.head_count_kv", "num_key_value_heads"},
    {"attention.key_length", "head_dim"},
    {"attention.layer_norm_epsilon", "layer_norm_epsilon"},
    {"attention.layer_norm_rms_epsilon", "rms_norm_eps"},
    {"attention.scale", "attention_multiplier"},
    {"attention.sliding_window", "sliding_window"},
    {"attn_logit_softcapping", "attn_logit_softcapping"},
    {"block_count", "num_hidden_layers"},
    {"context_length", "max_position_embeddings"},
    {"embedding_length", "hidden_size"},
    {"embedding_scale", "embedding_multiplier"},
    {"expert_count", "num_experts"},
    {"expert_feed_forward_length", "moe_intermediate_size"},
    {"expert_used_count", "num_experts_per_tok"},
    {"feed_forward_length", "intermediate_size"},
    {"final_logit_softcapping", "final_logit_softcapping"},
    {"logit_scale", "logits_scaling"},
    {"residual_scale", "residual_multiplier"},
    {"rope.freq_base", "rope_theta"},
};
// The names of gpt2's configuration.
constexpr KeyRow kOtherNames[] = {
    {"max_position_embeddings", "n_positions"}, {"hidden_size", "n_embd"},
    {"intermediate_size", "n_inner"},           {"num_attention_heads", "n_head"},
    {"num_hidden_layers", "n_layer"},           {"num_experts", "num_local_experts"}};

// Numbers of float32 as people write them: 1e-06, not 9.99999997e-07.
double Shortest(double value) {
  return std::strtod(fmt::format("{}", static_cast<float>(value)).c_str(), nullptr);
}

// One number, or a list of equal ones.
Result<Json> NumberOf(std::string_view key, const GgufValue& value) {
  if (const auto integer = value.Integer()) return Json(*integer);
  if (const auto number = value.Number()) return Json(Shortest(*number));
  if (const auto list = value.Integers(); list && !list->empty()) {
    const bool equal = std::all_of(list->begin(), list->end(),
                                   [&](int64_t each) { return each == list->front(); });
    if (equal) return Json(list->front());
    return Status::Of(Code::kUnsupported, "{} differs from layer to layer", key);
  }
  return Status::Of(Code::kMalformed, "{} is no number", key);
}

class Metadata {
 public:
  Metadata(const Gguf& file, std::string_view architecture)
      : file_(file), begin_(fmt::format("{}.", architecture)) {}

  const GgufValue* Find(std::string_view key) const {
    return file_.Find(begin_ + std::string(key));
  }
  std::optional<double> Number(std::string_view key) const {
    const GgufValue* value = Find(key);
    return value == nullptr ? std::nullopt : value->Number();
  }
  std::string_view Text(std::string_view key) const {
    const GgufValue* value = Find(key);
    const auto text = value == nullptr ? std::nullopt : value->Text();
    return text ? *text : std::string_view();
  }
  std::string Key(std::string_view key) const { return begin_ + std::string(key); }

 private:
  const Gguf& file_;
  std::string begin_;
};

// The numbers of a small vector of float32.
Result<Json> VectorOf(const GgufTensor& tensor) {
  if (tensor.type != formats::kGgufF32 || tensor.shape.size() != 1 ||
      tensor.shape[0] > kMaxHidden) {
    return Status::Of(Code::kBadModel, "tensor \"{}\" is no vector of F32", tensor.name);
  }
  Json list = Json::array();
  for (int64_t i = 0; i < tensor.shape[0]; ++i) {
    float value;
    std::memcpy(&value, tensor.bytes.data() + i * 4, sizeof value);
    if (!std::isfinite(value)) {
      return Status::Of(Code::kBadModel, "tensor \"{}\" is not finite at {}", tensor.name, i);
    }
    list.push_back(value);
  }
  return list;
}

// How positions are stretched: by the metadata, or by a factor for each angle.
Status AddRopeScaling(const Gguf& file, const Metadata& metadata, Json* config) {
  const GgufTensor* all = file.FindTensor("rope_freqs.weight");
  const GgufTensor* near = file.FindTensor("rope_factors_short.weight");
  const GgufTensor* far = file.FindTensor("rope_factors_long.weight");
  Json scaling = config->value("rope_scaling", Json::object());
  if (all != nullptr) near = far = all;
  const std::string_view kind = metadata.Text("rope.scaling.type");
  const auto factor = metadata.Number("rope.scaling.factor");
  if (near != nullptr && far != nullptr) {
    scaling["rope_type"] = "longrope";
    FERRY_ASSIGN_OR_RETURN(scaling["short_factor"], VectorOf(*near));
    FERRY_ASSIGN_OR_RETURN(scaling["long_factor"], VectorOf(*far));
    if (all != nullptr) scaling["attention_factor"] = 1;
  } else if (factor && (kind == "linear" || kind == "yarn")) {
    scaling["rope_type"] = kind;
    scaling["factor"] = Shortest(*factor);
  } else {
    return OkStatus();
  }
  if (const auto original = metadata.Number("rope.scaling.original_context_length")) {
    // Beside the scaling as well, where older configurations have it.
    scaling["original_max_position_embeddings"] = static_cast<int64_t>(*original);
  }
  if (const auto amplitude = metadata.Number("rope.scaling.attn_factor"); amplitude && !all) {
    scaling["attention_factor"] = Shortest(*amplitude);
  }
  (*config)["rope_scaling"] = std::move(scaling);
  return OkStatus();
}

void AddEndTokens(const Gguf& file, int64_t vocabulary, Json* config) {
  Json ends = Json::array();
  for (const char* key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
                          "tokenizer.ggml.eom_token_id"}) {
    const GgufValue* value = file.Find(key);
    const auto id = value == nullptr ? std::nullopt : value->Integer();
    if (!id || *id < 0 || *id >= vocabulary) continue;
    if (std::find(ends.begin(), ends.end(), Json(*id)) == ends.end()) ends.push_back(*id);
  }
  if (!ends.empty()) (*config)["eos_token_id"] = std::move(ends);
}

// What the metadata of some architectures leaves to the program.
void AddUnsaid(const GgufArchitecture& architecture, const Metadata& metadata, Json* config) {
  const auto number = [&](const char* name) { return config->value(name, 0.0); };
  if (!config->contains("num_key_value_heads") && config->contains("num_attention_heads")) {
    (*config)["num_key_value_heads"] = (*config)["num_attention_heads"];
  }
  const double heads = number("num_attention_heads");
  if (heads < 1) return;
  double head_dim = number("head_dim");
  if (head_dim < 1) head_dim = std::floor(number("hidden_size") / heads);
  const auto turning = metadata.Number("rope.dimension_count");
  if (turning && head_dim > 0 && *turning < head_dim) {
    (*config)["partial_rotary_factor"] = *turning / head_dim;
  }
  if (architecture.name == "gemma2" || architecture.name == "gemma3") {
    // The largest of either is scaled by what its heads would have of the stream.
    const double layers = number("num_hidden_layers");
    const bool largest = layers == (architecture.name == "gemma2" ? 46 : 62);
    (*config)["query_pre_attn_scalar"] =
        largest ? std::floor(number("hidden_size") / heads) : head_dim;
  }
}

}  // namespace

Result<GgufArchitecture> FindGgufArchitecture(std::string_view name) {
  std::vector<std::string> known;
  for (const GgufArchitecture& row : kArchitectures) {
    if (row.name == name) return row;
    known.emplace_back(row.name);
  }
  return Status::Of(
      Code::kUnsupported,
      "general.architecture \"{:.64}\" is not supported; the nearest is \"{}\"; supported: {}",
      name, NearestName(name, known), fmt::join(known, ", "));
}

Result<Json> GgufConfig(const Gguf& file, const GgufArchitecture& architecture) {
  FERRY_ASSIGN_OR_RETURN(Json config, ParseJson(architecture.members));
  const Metadata metadata(file, architecture.name);
  for (const KeyRow& row : kKeys) {
    const GgufValue* value = metadata.Find(row.key);
    if (value == nullptr) continue;
    FERRY_ASSIGN_OR_RETURN(config[row.member], NumberOf(metadata.Key(row.key), *value));
  }
  const GgufTensor* embedding = file.FindTensor("token_embd.weight");
  if (embedding == nullptr || embedding->shape.size() != 2) {
    return Status(Code::kBadModel, "there is no matrix \"token_embd.weight\"");
  }
  config["vocab_size"] = embedding->shape[0];
  config["tie_word_embeddings"] = file.FindTensor("output.weight") == nullptr;
  AddEndTokens(file, embedding->shape[0], &config);
  FERRY_TRY(AddRopeScaling(file, metadata, &config));
  AddUnsaid(architecture, metadata, &config);
  const bool experts = config.value("num_experts", 0.0) > 0;
  config["model_type"] =
      architecture.model_type == "llama" && experts ? "mixtral" : architecture.model_type;
  for (const KeyRow& row : kOtherNames) {
    if (config.contains(row.key)) config[row.member] = config[row.key];
  }
  return config;
}

}  // namespace ferry::llm
