// Vocabulary and added tokens of JSON files.
#include <algorithm>

#include "device-runtime/llm/tokenizer/json/parts_json.h"

namespace ferry::llm {
namespace {

Result<AddedToken> AddedFromJson(const Json& json) {
  AddedToken token;
  FERRY_ASSIGN_OR_RETURN(token.content, GetString(json, "content"));
  FERRY_ASSIGN_OR_RETURN(token.special, GetBoolOr(json, "special", false));
  FERRY_ASSIGN_OR_RETURN(token.left_strip, GetBoolOr(json, "lstrip", false));
  FERRY_ASSIGN_OR_RETURN(token.right_strip, GetBoolOr(json, "rstrip", false));
  FERRY_ASSIGN_OR_RETURN(token.single_word, GetBoolOr(json, "single_word", false));
  FERRY_ASSIGN_OR_RETURN(token.normalized, GetBoolOr(json, "normalized", !token.special));
  return token;
}

Status AppendAdded(const Json& json, int64_t id, std::vector<AddedToken>& added) {
  if (id < 0 || id >= kMaxVocabulary) {
    return Status::Of(Code::kMalformed, "an added token has id {}, at most {}", id,
                      kMaxVocabulary - 1);
  }
  FERRY_ASSIGN_OR_RETURN(AddedToken token, AddedFromJson(json));
  token.id = static_cast<TokenId>(id);
  added.push_back(std::move(token));
  return OkStatus();
}

}  // namespace

void SortAddedById(std::vector<AddedToken>& added) {
  std::stable_sort(added.begin(), added.end(),
                   [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
}

Result<std::vector<AddedToken>> AddedFromTokenizer(const Json& tokenizer) {
  std::vector<AddedToken> added;
  FERRY_ASSIGN_OR_RETURN(const Json* list, GetArrayOrNull(tokenizer, "added_tokens"));
  if (list == nullptr) return added;
  for (const Json& token : *list) {
    FERRY_ASSIGN_OR_RETURN(const int64_t id, GetInt(token, "id"));
    FERRY_TRY(AppendAdded(token, id, added));
  }
  SortAddedById(added);
  return added;
}

Result<std::vector<AddedToken>> AddedFromConfig(const Json& config) {
  std::vector<AddedToken> added;
  if (!config.is_object()) return added;
  FERRY_ASSIGN_OR_RETURN(const Json* tokens, GetObjectOrNull(config, "added_tokens_decoder"));
  if (tokens == nullptr) return added;
  for (const auto& [key, token] : tokens->items()) {
    const bool number =
        !key.empty() && key.size() < 10 && key.find_first_not_of("0123456789") == std::string::npos;
    FERRY_TRY(AppendAdded(token, number ? std::stoll(key) : -1, added)
                  .Context("added_tokens_decoder of tokenizer_config.json"));
  }
  SortAddedById(added);
  return added;
}

Result<std::vector<Token>> TokensFromJson(const TokenizerJson& json) {
  std::vector<Token> tokens;
  for (size_t i = 0; i < json.tokens.size(); ++i) {
    const std::string_view text = json.tokens[i];
    const size_t id = json.vocab_is_list ? i : json.ids[i];
    if (id >= tokens.size()) tokens.resize(id + 1);
    if (tokens[id].kind != Token::kAbsent) {
      return Status::Of(Code::kMalformed, "token {:?} has the id {} of another", text, id);
    }
    tokens[id] = {text.empty() ? Token::kPlain : Token::kMatched, std::string(text)};
  }
  return tokens;
}

}  // namespace ferry::llm
