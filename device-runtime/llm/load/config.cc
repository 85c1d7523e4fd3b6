#include "device-runtime/llm/load/config.h"

#include <cmath>

namespace ferry::llm {
namespace {

struct SizeRow {
  const char* member;
  int64_t ModelConfig::*field;
  int64_t limit;
};
constexpr SizeRow kSizes[] = {
    {"head_dim", &ModelConfig::head_dim, kMaxHeadDim},
    {"hidden_size", &ModelConfig::hidden, kMaxHidden},
    {"intermediate_size", &ModelConfig::ffn, kMaxFfn},
    {"max_position_embeddings", &ModelConfig::context, kMaxContext},
    {"num_attention_heads", &ModelConfig::heads, kMaxHeads},
    {"num_hidden_layers", &ModelConfig::layers, kMaxLayers},
    {"num_key_value_heads", &ModelConfig::kv_heads, kMaxHeads},
    {"vocab_size", &ModelConfig::vocabulary, kMaxVocabulary},
};

Status ReadSizes(const Json& json, ModelConfig* config) {
  for (const SizeRow& row : kSizes) {
    FERRY_ASSIGN_OR_RETURN(const int64_t value, GetInt(json, row.member));
    if (value < 1) {
      return Status::Of(Code::kBadModel, "{} is {}, wanted at least 1", row.member, value);
    }
    if (value > row.limit) {
      return Status::Of(Code::kLimitExceeded, "{} is {}, at most {}", row.member, value, row.limit);
    }
    config->*row.field = value;
  }
  if (config->heads % config->kv_heads != 0) {
    return Status::Of(Code::kBadModel,
                      "num_attention_heads {} is no multiple of num_key_value_heads {}",
                      config->heads, config->kv_heads);
  }
  if (config->head_dim % 2 != 0) {
    return Status::Of(Code::kBadModel, "head_dim is {}, wanted an even number", config->head_dim);
  }
  return OkStatus();
}

// Of rope_scaling or rope_parameters.
Status CheckRopeKind(const Json& rope, const char* where) {
  FERRY_ASSIGN_OR_RETURN(const std::string old_kind, GetStringOr(rope, "type", "default"));
  FERRY_ASSIGN_OR_RETURN(const std::string kind, GetStringOr(rope, "rope_type", old_kind));
  if (kind == "default") return OkStatus();
  return Status::Of(Code::kUnsupported, "{} of type \"{}\"; supported: default", where, kind);
}

Status ReadRope(const Json& json, ModelConfig* config) {
  FERRY_ASSIGN_OR_RETURN(const Json* scaling, GetObjectOrNull(json, "rope_scaling"));
  if (scaling != nullptr) FERRY_TRY(CheckRopeKind(*scaling, "rope_scaling"));
  FERRY_ASSIGN_OR_RETURN(const Json* rope, GetObjectOrNull(json, "rope_parameters"));
  FERRY_ASSIGN_OR_RETURN(config->rope_theta, GetNumberOr(json, "rope_theta", config->rope_theta));
  if (rope != nullptr) {
    FERRY_TRY(CheckRopeKind(*rope, "rope_parameters"));
    FERRY_ASSIGN_OR_RETURN(config->rope_theta,
                           GetNumberOr(*rope, "rope_theta", config->rope_theta));
  }
  if (!std::isfinite(config->rope_theta) || config->rope_theta <= 0) {
    return Status::Of(Code::kBadModel, "rope_theta is {}, wanted more than 0", config->rope_theta);
  }
  for (const Json* holder : {&json, rope}) {
    if (holder == nullptr) continue;
    FERRY_ASSIGN_OR_RETURN(const double part, GetNumberOr(*holder, "partial_rotary_factor", 1));
    if (part != 1) {
      return Status::Of(Code::kUnsupported, "partial_rotary_factor {}; supported: 1", part);
    }
  }
  return OkStatus();
}

Status ReadEps(const Json& json, ModelConfig* config) {
  FERRY_ASSIGN_OR_RETURN(const double eps, GetNumber(json, "rms_norm_eps"));
  config->norm_eps = static_cast<float>(eps);
  if (config->norm_eps > 0 && config->norm_eps < 1) return OkStatus();
  return Status::Of(Code::kBadModel, "rms_norm_eps is {}, wanted between 0 and 1", eps);
}

// A number or a list of numbers; null or absent: none.
Result<std::vector<TokenId>> EndTokens(const Json& json, int64_t vocabulary) {
  std::vector<TokenId> result;
  const auto it = json.find("eos_token_id");
  if (it == json.end() || it->is_null()) return result;
  const Json list = it->is_array() ? *it : Json::array({*it});
  if (list.size() > kMaxEndTokens) {
    return Status::Of(Code::kLimitExceeded, "eos_token_id has {} entries, at most {}", list.size(),
                      kMaxEndTokens);
  }
  for (const Json& id : list) {
    const bool is_number =
        id.is_number_integer() && !(id.is_number_unsigned() && id.get<uint64_t>() > INT32_MAX);
    if (!is_number || id.get<int64_t>() < 0 || id.get<int64_t>() >= vocabulary) {
      return Status::Of(Code::kBadModel, "eos_token_id {:.40} is no token below {}", WriteJson(id),
                        vocabulary);
    }
    result.push_back(id.get<TokenId>());
  }
  return result;
}

// What no architecture here supports.
Status CheckUnsupported(const Json& json) {
  if (const auto it = json.find("quantization_config"); it != json.end() && !it->is_null()) {
    return Status(Code::kUnsupported, "quantization_config: only float32 and bfloat16 are read");
  }
  FERRY_ASSIGN_OR_RETURN(const auto kinds, GetStringsOr(json, "layer_types"));
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] == "full_attention") continue;
    return Status::Of(Code::kUnsupported,
                      "layer_types has \"{}\" for layer {}; supported: full_attention", kinds[i],
                      i);
  }
  return OkStatus();
}

}  // namespace

Result<ReadModelConfig> ReadConfig(const Json& json, const Json* generation) {
  ReadModelConfig result;
  ModelConfig& config = result.config;
  FERRY_ASSIGN_OR_RETURN(config.architecture, GetString(json, "model_type"));
  FERRY_ASSIGN_OR_RETURN(result.architecture, FindArchitecture(config.architecture));
  FERRY_TRY(CheckUnsupported(json));
  FERRY_TRY(ReadSizes(json, &config));
  FERRY_TRY(ReadRope(json, &config));
  FERRY_TRY(ReadEps(json, &config));
  FERRY_ASSIGN_OR_RETURN(config.tied_embeddings, GetBoolOr(json, "tie_word_embeddings", false));
  FERRY_ASSIGN_OR_RETURN(config.end_tokens, EndTokens(json, config.vocabulary));
  if (generation != nullptr) {
    FERRY_ASSIGN_OR_RETURN(auto ends, EndTokens(*generation, config.vocabulary));
    if (!ends.empty()) config.end_tokens = std::move(ends);
  }
  FERRY_ASSIGN_OR_RETURN(result.settings, result.architecture->ReadSettings(json, &config));
  return result;
}

Json WriteConfig(const ModelConfig& config, const Json& settings) {
  Json json = settings;
  json["model_type"] = config.architecture;
  for (const SizeRow& row : kSizes) json[row.member] = config.*row.field;
  json["rope_theta"] = config.rope_theta;
  // Its shortest decimal form: 1e-06, not the digits of the float as a double.
  json["rms_norm_eps"] = ParseJson(fmt::format("{}", config.norm_eps)).value_or(config.norm_eps);
  json["tie_word_embeddings"] = config.tied_embeddings;
  json["eos_token_id"] = config.end_tokens;
  return json;
}

}  // namespace ferry::llm
