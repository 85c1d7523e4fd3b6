// SentencePiece's BPE (Llama 2, Mistral, Gemma, Phi-3).
#include "device-runtime/llm/tokenizer/bpe/sp_bpe.h"

#include "device-runtime/llm/tokenizer/json/parts_json.h"
#include "device-runtime/llm/tokenizer/kinds/kinds.h"
#include "device-runtime/llm/tokenizer/pipeline/parts_serial.h"

namespace ferry::llm {
namespace {

bool ClaimsSpBpe(const TokenizerJson& tokenizer) {
  const Json& model = Member(tokenizer.json, "model");
  const Json& type = Member(model, "type");
  return type == "BPE" || (type.is_null() && model.contains("merges"));
}

Status CheckSpBpe(const Json& model) {
  for (const std::string_view key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (!IsNone(model, key)) {
      return Status::Of(Code::kUnsupported, "BPE of characters with {}", key);
    }
  }
  FERRY_ASSIGN_OR_RETURN(const double dropout, GetNumberOr(model, "dropout", 0));
  if (dropout != 0) return Status(Code::kUnsupported, "BPE with dropout");
  return OkStatus();
}

Result<std::unique_ptr<Tokenizer>> SpBpeFromJson(const TokenizerJson& tokenizer) {
  SpBpeParts parts;
  const Json& json = tokenizer.json;
  FERRY_ASSIGN_OR_RETURN(const Json* model, GetObject(json, "model"));
  FERRY_TRY(CheckSpBpe(*model));
  FERRY_ASSIGN_OR_RETURN(parts.normal, NormalStepsFromJson(Member(json, "normalizer")));
  FERRY_ASSIGN_OR_RETURN(parts.steps, SplitStepsFromJson(Member(json, "pre_tokenizer"), false));
  FERRY_TRY(CheckPostProcessor(Member(json, "post_processor")));
  FERRY_ASSIGN_OR_RETURN(parts.shown, ShownAsFromJson(Member(json, "decoder")));
  FERRY_ASSIGN_OR_RETURN(parts.whole_pieces, GetBoolOr(*model, "ignore_merges", false));
  FERRY_TRY(GetObject(*model, "vocab"));
  FERRY_TRY(GetArray(*model, "merges"));
  FERRY_ASSIGN_OR_RETURN(parts.tokens, TokensFromJson(tokenizer));
  FERRY_ASSIGN_OR_RETURN(
      parts.merges, PairsOfTexts(tokenizer.merges, tokenizer.tokens, tokenizer.ids, parts.tokens));
  FERRY_ASSIGN_OR_RETURN(parts.added, AddedFromTokenizer(json));
  FERRY_ASSIGN_OR_RETURN(parts.fallback.bytes, GetBoolOr(*model, "byte_fallback", false));
  FERRY_ASSIGN_OR_RETURN(parts.fallback.fuse, GetBoolOr(*model, "fuse_unk", false));
  FERRY_ASSIGN_OR_RETURN(const std::string unknown, GetStringOr(*model, "unk_token", ""));
  for (size_t i = 0; i < tokenizer.tokens.size() && !unknown.empty(); ++i) {
    if (tokenizer.tokens[i] == unknown) parts.fallback.unknown = tokenizer.ids[i];
  }
  return SpBpe::Create(std::move(parts));
}

Result<std::unique_ptr<Tokenizer>> SpBpeFromSerialized(uint32_t, SerialReader& reader) {
  FERRY_ASSIGN_OR_RETURN(TokenizerParts common, ReadTokenizerParts(reader));
  FERRY_ASSIGN_OR_RETURN(SpBpeParts parts, ReadSpBpe(std::move(common), reader));
  return SpBpe::Create(std::move(parts));
}

}  // namespace

const TokenizerKind kSpBpeKind = {"sp_bpe", ClaimsSpBpe, SpBpeFromJson, SpBpeFromSerialized};

}  // namespace ferry::llm
