// SentencePiece's unigram model (T5, XLM-R).
#include "device-runtime/llm/tokenizer/unigram/unigram.h"

#include "device-runtime/llm/tokenizer/json/parts_json.h"
#include "device-runtime/llm/tokenizer/kinds/kinds.h"
#include "device-runtime/llm/tokenizer/pipeline/parts_serial.h"

namespace ferry::llm {
namespace {

bool ClaimsUnigram(const TokenizerJson& tokenizer) {
  const Json& model = Member(tokenizer.json, "model");
  const Json& type = Member(model, "type");
  return type == "Unigram" || (type.is_null() && model.contains("unk_id"));
}

Result<std::unique_ptr<Tokenizer>> UnigramFromJson(const TokenizerJson& tokenizer) {
  UnigramParts parts;
  const Json& json = tokenizer.json;
  FERRY_ASSIGN_OR_RETURN(const Json* model, GetObject(json, "model"));
  FERRY_ASSIGN_OR_RETURN(parts.normal, NormalStepsFromJson(Member(json, "normalizer")));
  FERRY_ASSIGN_OR_RETURN(parts.steps, SplitStepsFromJson(Member(json, "pre_tokenizer"), false));
  FERRY_TRY(CheckPostProcessor(Member(json, "post_processor")));
  FERRY_ASSIGN_OR_RETURN(parts.shown, ShownAsFromJson(Member(json, "decoder")));
  FERRY_TRY(GetArray(*model, "vocab"));
  FERRY_ASSIGN_OR_RETURN(parts.tokens, TokensFromJson(tokenizer));
  parts.scores = tokenizer.scores;
  FERRY_ASSIGN_OR_RETURN(parts.added, AddedFromTokenizer(json));
  parts.fallback.fuse = true;
  FERRY_ASSIGN_OR_RETURN(parts.fallback.bytes, GetBoolOr(*model, "byte_fallback", false));
  FERRY_ASSIGN_OR_RETURN(const int64_t unknown, GetIntOr(*model, "unk_id", -1));
  if (unknown >= 0) {
    if (unknown >= kMaxVocabulary) {
      return Status::Of(Code::kMalformed, "unk_id is {}, at most {}", unknown, kMaxVocabulary - 1);
    }
    parts.fallback.unknown = static_cast<uint32_t>(unknown);
    // It stands for what is unknown; no text becomes it by its spelling.
    if (static_cast<size_t>(unknown) < parts.tokens.size()) {
      parts.tokens[unknown].kind = Token::kPlain;
    }
  }
  return Unigram::Create(std::move(parts));
}

Result<std::unique_ptr<Tokenizer>> UnigramFromSerialized(uint32_t, SerialReader& reader) {
  FERRY_ASSIGN_OR_RETURN(TokenizerParts common, ReadTokenizerParts(reader));
  FERRY_ASSIGN_OR_RETURN(UnigramParts parts, ReadUnigram(std::move(common), reader));
  return Unigram::Create(std::move(parts));
}

}  // namespace

const TokenizerKind kUnigramKind = {"unigram", ClaimsUnigram, UnigramFromJson,
                                    UnigramFromSerialized};

}  // namespace ferry::llm
