#include "device-runtime/llm/tokenizer/bpe/byte_bpe_json.h"

#include "device-runtime/llm/tokenizer/bpe/merge_list.h"
#include "device-runtime/llm/tokenizer/json/parts_json.h"
#include "device-runtime/llm/tokenizer/text/byte_alphabet.h"

namespace ferry::llm {
namespace {

Status CheckByteBpe(const Json& model) {
  if (!IsNone(model, "continuing_subword_prefix")) {
    return Status(Code::kUnsupported, "BPE with continuing_subword_prefix");
  }
  FERRY_ASSIGN_OR_RETURN(const double dropout, GetNumberOr(model, "dropout", 0));
  if (dropout != 0) return Status(Code::kUnsupported, "BPE with dropout");
  FERRY_ASSIGN_OR_RETURN(const bool fallback, GetBoolOr(model, "byte_fallback", false));
  if (fallback) return Status(Code::kUnsupported, "byte-level BPE with byte_fallback");
  return OkStatus();
}

// Whether every byte is a token; without an unknown token HF drops the others, and so do we.
Status CheckUnknown(const Json& model, const std::vector<Token>& tokens) {
  if (IsNone(model, "unk_token")) return OkStatus();
  size_t bytes = 0;
  for (const Token& token : tokens) {
    bytes += token.kind == Token::kMatched && token.text.size() == 1;
  }
  if (bytes == 256) return OkStatus();
  return Status(Code::kUnsupported, "byte-level BPE with unk_token and without all 256 bytes");
}

Status CheckByteDecoder(const Json& decoder) {
  if (decoder.is_null()) return Status(Code::kUnsupported, "BPE without the decoder ByteLevel");
  FERRY_ASSIGN_OR_RETURN(const std::string type, GetString(decoder, "type"));
  if (type == "ByteLevel") return OkStatus();
  return Status::Of(Code::kUnsupported, "decoder {:?} with byte-level BPE", type);
}

}  // namespace

void TokensOfAlphabet(std::vector<Token>& tokens) {
  for (Token& token : tokens) {
    if (token.kind != Token::kMatched) continue;
    const auto bytes = BytesOfAlphabet(token.text);
    if (bytes.has_value() && !bytes->empty()) {
      token.text = *bytes;
    } else {
      token.kind = Token::kPlain;
    }
  }
}

Result<BpeParts> BpePartsFromJson(const TokenizerJson& tokenizer) {
  BpeParts parts;
  const Json& json = tokenizer.json;
  FERRY_ASSIGN_OR_RETURN(const Json* model, GetObject(json, "model"));
  FERRY_TRY(CheckByteBpe(*model));
  FERRY_ASSIGN_OR_RETURN(parts.normal, NormalStepsFromJson(Member(json, "normalizer")));
  FERRY_ASSIGN_OR_RETURN(parts.steps, SplitStepsFromJson(Member(json, "pre_tokenizer"), true));
  FERRY_TRY(CheckPostProcessor(Member(json, "post_processor")));
  FERRY_TRY(CheckByteDecoder(Member(json, "decoder")));
  FERRY_ASSIGN_OR_RETURN(parts.whole_pieces, GetBoolOr(*model, "ignore_merges", false));
  FERRY_ASSIGN_OR_RETURN(parts.word_end, GetStringOr(*model, "end_of_word_suffix", ""));
  if (!parts.word_end.empty()) {
    parts.shown.style = ShownAs::kWordEnds;
    parts.shown.affix = parts.word_end;
  }
  FERRY_TRY(GetObject(*model, "vocab"));
  FERRY_TRY(GetArray(*model, "merges"));
  FERRY_ASSIGN_OR_RETURN(parts.tokens, TokensFromJson(tokenizer));
  TokensOfAlphabet(parts.tokens);
  FERRY_TRY(CheckUnknown(*model, parts.tokens));
  FERRY_ASSIGN_OR_RETURN(
      parts.merges, PairsOfTexts(tokenizer.merges, tokenizer.tokens, tokenizer.ids, parts.tokens));
  FERRY_ASSIGN_OR_RETURN(parts.added, AddedFromTokenizer(json));
  return parts;
}

}  // namespace ferry::llm
