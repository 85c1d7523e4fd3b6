#include "device-runtime/llm/load/config.h"

namespace ferry::llm {
namespace {

constexpr const char* kDescription = "description";

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

Result<Described> Describe(const Json& json, std::string_view family) {
  if (!family.empty()) {
    if (family.front() != '{') {
      FERRY_ASSIGN_OR_RETURN(const Family given, Family::Parse("given", family));
      return given.Describe(json);
    }
    FERRY_ASSIGN_OR_RETURN(const Json given, ParseJson(family).Context("the description"));
    FERRY_ASSIGN_OR_RETURN(Description description, DescriptionFromJson(given));
    return Described{std::move(description), {}};
  }
  FERRY_ASSIGN_OR_RETURN(const Json* description, GetObjectOrNull(json, kDescription));
  if (description != nullptr) {
    FERRY_ASSIGN_OR_RETURN(Description read, DescriptionFromJson(*description));
    return Described{std::move(read), {}};
  }
  FERRY_ASSIGN_OR_RETURN(const std::string type, GetString(json, "model_type"));
  FERRY_ASSIGN_OR_RETURN(const Family* found, FindFamily(type));
  return found->Describe(json);
}

// The member of the name that is not null: of text_config or of the whole.
const Json* Member(const Json& json, const char* name) {
  const auto text = json.find("text_config");
  for (const Json* holder : {text == json.end() || !text->is_object() ? nullptr : &*text, &json}) {
    if (holder == nullptr) continue;
    const auto it = holder->find(name);
    if (it != holder->end() && !it->is_null()) return &*it;
  }
  return nullptr;
}

}  // namespace

Result<ReadModelConfig> ReadConfig(const Json& json, const Json* generation,
                                   std::string_view family) {
  FERRY_ASSIGN_OR_RETURN(Described described, Describe(json, family));
  ReadModelConfig result;
  result.description = std::move(described.description);
  result.rules = described.rules;
  result.may_tie = Member(json, "tie_word_embeddings") == nullptr && !json.contains(kDescription) &&
                   !result.description.encoder;
  const Description& d = result.description;
  ModelConfig& config = result.config;
  config.architecture = d.family;
  config.vocabulary = d.vocabulary;
  config.hidden = d.hidden;
  config.layers = static_cast<int64_t>(d.layers.size());
  config.context = d.context;
  config.encoder = d.encoder;
  config.outputs = d.outputs > 0 ? d.outputs : d.vocabulary;
  for (const Json* source : {&json, generation}) {
    if (source == nullptr) continue;
    const Json* ids = Member(*source, "eos_token_id");
    if (ids == nullptr) continue;
    FERRY_ASSIGN_OR_RETURN(auto ends, EndTokens(Json{{"eos_token_id", *ids}}, config.vocabulary));
    if (!ends.empty()) config.end_tokens = std::move(ends);
  }
  return result;
}

Json WriteConfig(const ReadModelConfig& config) {
  return {{kDescription, DescriptionToJson(config.description)},
          {"eos_token_id", config.config.end_tokens}};
}

}  // namespace ferry::llm
