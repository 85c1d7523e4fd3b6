// WordPiece (BERT and its kin).
#include "device-runtime/llm/tokenizer/json/parts_json.h"
#include "device-runtime/llm/tokenizer/kinds/kinds.h"
#include "device-runtime/llm/tokenizer/pipeline/parts_serial.h"
#include "device-runtime/llm/tokenizer/wordpiece/wordpiece.h"

namespace ferry::llm {
namespace {

bool ClaimsWordPiece(const TokenizerJson& tokenizer) {
  const Json& model = Member(tokenizer.json, "model");
  const Json& type = Member(model, "type");
  return type == "WordPiece" || (type.is_null() && model.contains("max_input_chars_per_word"));
}

Result<std::unique_ptr<Tokenizer>> WordPieceFromJson(const TokenizerJson& tokenizer) {
  WordPieceParts parts;
  const Json& json = tokenizer.json;
  FERRY_ASSIGN_OR_RETURN(const Json* model, GetObject(json, "model"));
  FERRY_ASSIGN_OR_RETURN(parts.normal, NormalStepsFromJson(Member(json, "normalizer")));
  FERRY_ASSIGN_OR_RETURN(parts.steps, SplitStepsFromJson(Member(json, "pre_tokenizer"), false));
  FERRY_TRY(CheckPostProcessor(Member(json, "post_processor")));
  FERRY_ASSIGN_OR_RETURN(parts.shown, ShownAsFromJson(Member(json, "decoder")));
  FERRY_TRY(GetObject(*model, "vocab"));
  FERRY_ASSIGN_OR_RETURN(parts.tokens, TokensFromJson(tokenizer));
  FERRY_ASSIGN_OR_RETURN(parts.added, AddedFromTokenizer(json));
  FERRY_ASSIGN_OR_RETURN(parts.going_on, GetStringOr(*model, "continuing_subword_prefix", "##"));
  FERRY_ASSIGN_OR_RETURN(const int64_t most, GetIntOr(*model, "max_input_chars_per_word", 100));
  if (most < 1 || most > kMaxWordCharacters) {
    return Status::Of(Code::kUnsupported, "max_input_chars_per_word is {}, wanted 1 to {}", most,
                      kMaxWordCharacters);
  }
  parts.most_characters = static_cast<uint32_t>(most);
  FERRY_ASSIGN_OR_RETURN(const std::string unknown, GetStringOr(*model, "unk_token", "[UNK]"));
  for (size_t i = 0; i < tokenizer.tokens.size(); ++i) {
    if (tokenizer.tokens[i] == unknown) parts.unknown = tokenizer.ids[i];
  }
  return WordPiece::Create(std::move(parts));
}

Result<std::unique_ptr<Tokenizer>> WordPieceFromSerialized(uint32_t, SerialReader& reader) {
  FERRY_ASSIGN_OR_RETURN(TokenizerParts common, ReadTokenizerParts(reader));
  FERRY_ASSIGN_OR_RETURN(WordPieceParts parts, ReadWordPiece(std::move(common), reader));
  return WordPiece::Create(std::move(parts));
}

}  // namespace

const TokenizerKind kWordPieceKind = {"wordpiece", ClaimsWordPiece, WordPieceFromJson,
                                      WordPieceFromSerialized};

}  // namespace ferry::llm
