// The vocabulary in a GGUF file. Source: the keys of ggml's docs/gguf.md, and what llama.cpp's
// converter writes into them.
#include <algorithm>

#include "device-runtime/llm/tokenizer/bpe/byte_bpe_json.h"
#include "device-runtime/llm/tokenizer/bpe/merge_list.h"
#include "device-runtime/llm/tokenizer/bpe/sp_bpe.h"
#include "device-runtime/llm/tokenizer/sources/bert.h"
#include "device-runtime/llm/tokenizer/sources/pre_tokenizers.h"
#include "device-runtime/llm/tokenizer/sources/sources.h"
#include "device-runtime/llm/tokenizer/unigram/unigram.h"

namespace ferry::llm {
namespace {

enum GgufTokenType {
  kGgufNormal = 1,
  kGgufUnknown = 2,
  kGgufControl = 3,
  kGgufUserDefined = 4,
  kGgufUnused = 5,
  kGgufByte = 6
};

Status WrongKey(std::string_view key) {
  return Status::Of(Code::kMalformed, "tokenizer.ggml.{} is missing or of another type", key);
}

// Members below "tokenizer.ggml.".
class GgufVocabulary {
 public:
  explicit GgufVocabulary(const formats::Gguf& gguf) : gguf_(gguf) {}

  Status Read() {
    const auto tokens = Texts("tokens");
    if (!tokens) return WrongKey("tokens");
    tokens_ = *tokens;
    if (tokens_.size() > static_cast<size_t>(kMaxVocabulary)) {
      return Status::Of(Code::kLimitExceeded, "{} tokens, at most {}", tokens_.size(),
                        kMaxVocabulary);
    }
    types_.assign(tokens_.size(), kGgufNormal);
    const formats::GgufValue* types = Find("token_type");
    if (types == nullptr) return OkStatus();
    const auto read = types->Integers();
    if (!read || read->size() != tokens_.size()) return WrongKey("token_type");
    types_ = *read;
    return OkStatus();
  }

  const formats::GgufValue* Find(std::string_view key) const {
    return gguf_.Find("tokenizer.ggml." + std::string(key));
  }
  std::optional<std::vector<std::string_view>> Texts(std::string_view key) const {
    const formats::GgufValue* value = Find(key);
    return value == nullptr ? std::nullopt : value->Texts();
  }
  std::string_view TextOr(std::string_view key, std::string_view fallback) const {
    const formats::GgufValue* value = Find(key);
    return value == nullptr ? fallback : value->Text().value_or(fallback);
  }
  bool BoolOr(std::string_view key, bool fallback) const {
    const formats::GgufValue* value = Find(key);
    return value == nullptr ? fallback : value->Bool().value_or(fallback);
  }
  // An id, or kNoToken.
  uint32_t IdOr(std::string_view key, uint32_t fallback) const {
    const formats::GgufValue* value = Find(key);
    const auto id = value == nullptr ? std::nullopt : value->Integer();
    return id && *id >= 0 && *id < kMaxVocabulary ? static_cast<uint32_t>(*id) : fallback;
  }
  template <typename T>
  Result<std::vector<T>> Scores() const {
    const formats::GgufValue* value = Find("scores");
    const auto scores = value == nullptr ? std::nullopt : value->Numbers();
    if (!scores || scores->size() != tokens_.size()) return WrongKey("scores");
    return std::vector<T>(scores->begin(), scores->end());
  }

  const std::vector<std::string_view>& tokens() const { return tokens_; }
  int64_t type(size_t id) const { return types_[id]; }

  // Control tokens, and those that users defined, are found in a text as it comes.
  void AppendAdded(std::vector<AddedToken>& added) const {
    for (size_t id = 0; id < tokens_.size(); ++id) {
      if (types_[id] != kGgufControl && types_[id] != kGgufUserDefined) continue;
      if (tokens_[id].empty()) continue;
      AddedToken& token = added.emplace_back();
      token.id = static_cast<TokenId>(id);
      token.content = tokens_[id];
      token.special = types_[id] == kGgufControl;
    }
  }

 private:
  const formats::Gguf& gguf_;
  std::vector<std::string_view> tokens_;
  std::vector<int64_t> types_;
};

Result<std::unique_ptr<Tokenizer>> Gpt2FromGguf(const GgufVocabulary& gguf) {
  BpeParts parts;
  const std::string_view name = gguf.TextOr("pre", "default");
  const PreTokenizer* pre = FindPreTokenizer(name);
  if (pre == nullptr) {
    return Status::Of(Code::kUnsupported, "tokenizer.ggml.pre is {:?}; known: {}", name,
                      PreTokenizerNames());
  }
  parts.steps = StepsOf(*pre);
  parts.whole_pieces = pre->whole_pieces;
  TextList names;
  std::vector<uint32_t> ids;
  for (size_t id = 0; id < gguf.tokens().size(); ++id) {
    const std::string_view text = gguf.tokens()[id];
    const bool matched = !text.empty() && gguf.type(id) != kGgufUnused;
    parts.tokens.push_back({matched ? Token::kMatched : Token::kPlain, std::string(text)});
    names.Add(text);
    ids.push_back(static_cast<uint32_t>(id));
  }
  TokensOfAlphabet(parts.tokens);
  const auto merges = gguf.Texts("merges");
  if (!merges) return WrongKey("merges");
  TextList pairs;
  for (const std::string_view merge : *merges) {
    const size_t space = merge.find(' ', 1);
    if (space == std::string_view::npos) {
      return Status::Of(Code::kMalformed, "merge {:?} is not two tokens", merge);
    }
    pairs.Add(merge.substr(0, space));
    pairs.Add(merge.substr(space + 1));
  }
  FERRY_ASSIGN_OR_RETURN(parts.merges, PairsOfTexts(pairs, names, ids, parts.tokens));
  gguf.AppendAdded(parts.added);
  return ByteBpe::Create(std::move(parts));
}

void AppendMarks(bool prefix, std::vector<NormalStep>& steps) {
  if (prefix) {
    NormalStep& step = steps.emplace_back();
    step.kind = NormalStep::kPrepend;
    step.content = kSpaceMark;
  }
  NormalStep& step = steps.emplace_back();
  step.kind = NormalStep::kLiteral;
  step.pattern = " ";
  step.content = kSpaceMark;
}

// Tokens of sentencepiece's kinds.
void AppendSpTokens(const GgufVocabulary& gguf, TokenizerParts& parts) {
  for (size_t id = 0; id < gguf.tokens().size(); ++id) {
    const std::string_view text = gguf.tokens()[id];
    const bool matched =
        !text.empty() && (gguf.type(id) == kGgufNormal || gguf.type(id) == kGgufUserDefined);
    parts.tokens.push_back({matched ? Token::kMatched : Token::kPlain, std::string(text)});
  }
  gguf.AppendAdded(parts.added);
  // In texts as they come spaces are not yet marked.
  for (AddedToken& added : parts.added) {
    for (size_t at = added.content.find(kSpaceMark); at != std::string::npos;
         at = added.content.find(kSpaceMark)) {
      added.content.replace(at, kSpaceMark.size(), " ");
    }
  }
}

Result<std::unique_ptr<Tokenizer>> LlamaFromGguf(const GgufVocabulary& gguf) {
  SpBpeParts parts;
  const bool prefix = gguf.BoolOr("add_space_prefix", true);
  AppendMarks(prefix, parts.normal);
  parts.shown = {ShownAs::kSpaceMarks, true, prefix, false, ""};
  parts.by_scores = true;
  parts.fallback = {true, false, gguf.IdOr("unknown_token_id", 0)};
  AppendSpTokens(gguf, parts);
  FERRY_ASSIGN_OR_RETURN(parts.scores, gguf.Scores<float>());
  return SpBpe::Create(std::move(parts));
}

Result<std::unique_ptr<Tokenizer>> T5FromGguf(const GgufVocabulary& gguf) {
  UnigramParts parts;
  if (const formats::GgufValue* map = gguf.Find("precompiled_charsmap"); map != nullptr) {
    const auto bytes = map->ItemBytes();
    if (!bytes) return WrongKey("precompiled_charsmap");
    NormalStep& step = parts.normal.emplace_back();
    step.kind = NormalStep::kCharsmap;
    step.pattern = AsText(*bytes);
  }
  if (gguf.BoolOr("remove_extra_whitespaces", false)) {
    parts.normal.emplace_back().kind = NormalStep::kSqueeze;
  }
  const bool prefix = gguf.BoolOr("add_space_prefix", true);
  AppendMarks(prefix, parts.normal);
  parts.fallback = {false, true, gguf.IdOr("unknown_token_id", 2)};
  for (size_t id = 0; id < gguf.tokens().size(); ++id) {
    if (gguf.type(id) == kGgufByte) parts.fallback.bytes = true;
  }
  parts.shown = {ShownAs::kSpaceMarks, parts.fallback.bytes, prefix, false, ""};
  AppendSpTokens(gguf, parts);
  FERRY_ASSIGN_OR_RETURN(parts.scores, gguf.Scores<double>());
  return Unigram::Create(std::move(parts));
}

// Tokens that begin a word have a mark before them, others are as "##" has them without it.
Result<std::unique_ptr<Tokenizer>> BertFromGguf(const GgufVocabulary& gguf) {
  WordPieceParts parts = BertParts(true);
  for (const std::string_view text : gguf.tokens()) {
    if (text.starts_with(kSpaceMark)) {
      AppendBertToken(text.substr(kSpaceMark.size()), parts);
    } else if (text.empty() || (text.starts_with('[') && text.ends_with(']'))) {
      AppendBertToken(text, parts);
    } else {
      AppendBertToken("##" + std::string(text), parts);
    }
  }
  parts.unknown = gguf.IdOr("unknown_token_id", parts.unknown);
  return WordPiece::Create(std::move(parts));
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> TokenizerFromGguf(const formats::Gguf& file) {
  GgufVocabulary gguf(file);
  if (gguf.Find("model") == nullptr) {
    return Status(Code::kFailedPrecondition, "the GGUF file has no tokenizer");
  }
  const std::string_view model = gguf.TextOr("model", "");
  FERRY_TRY(gguf.Read());
  if (model == "gpt2") return Gpt2FromGguf(gguf);
  if (model == "llama") return LlamaFromGguf(gguf);
  if (model == "t5") return T5FromGguf(gguf);
  if (model == "bert") return BertFromGguf(gguf);
  return Status::Of(Code::kUnsupported,
                    "tokenizer.ggml.model is {:?}; supported: gpt2, llama, t5, bert", model);
}

}  // namespace ferry::llm
