// Vocabularies in files of their own: vocab.json with merges.txt, vocab.txt.
#include "device-runtime/llm/tokenizer/bpe/byte_bpe_json.h"
#include "device-runtime/llm/tokenizer/bpe/merge_list.h"
#include "device-runtime/llm/tokenizer/json/parts_json.h"
#include "device-runtime/llm/tokenizer/sources/bert.h"
#include "device-runtime/llm/tokenizer/sources/pre_tokenizers.h"
#include "device-runtime/llm/tokenizer/sources/sources.h"

namespace ferry::llm {

Result<std::unique_ptr<Tokenizer>> TokenizerFromVocabAndMerges(ByteView vocab,
                                                               std::string_view merges,
                                                               const Json& config) {
  BpeParts parts;
  parts.normal.emplace_back();  // NFC
  parts.steps = StepsOf(*FindPreTokenizer("qwen2"));
  FERRY_ASSIGN_OR_RETURN(const TokenizerJson json, ReadVocabJson(vocab).Context("vocab.json"));
  FERRY_ASSIGN_OR_RETURN(parts.tokens, TokensFromJson(json).Context("vocab.json"));
  TokensOfAlphabet(parts.tokens);
  FERRY_ASSIGN_OR_RETURN(const TextList lines, MergesOfLines(merges).Context("merges.txt"));
  FERRY_ASSIGN_OR_RETURN(
      parts.merges, PairsOfTexts(lines, json.tokens, json.ids, parts.tokens).Context("merges.txt"));
  FERRY_ASSIGN_OR_RETURN(parts.added, AddedFromConfig(config));
  return ByteBpe::Create(std::move(parts));
}

Result<std::unique_ptr<Tokenizer>> TokenizerFromVocabText(std::string_view vocab,
                                                          const Json& config) {
  bool lower = true;
  if (config.is_object()) {
    FERRY_ASSIGN_OR_RETURN(lower, GetBoolOr(config, "do_lower_case", true));
  }
  WordPieceParts parts = BertParts(lower);
  for (size_t at = 0; at < vocab.size();) {
    const size_t end = std::min(vocab.find('\n', at), vocab.size());
    std::string_view line = vocab.substr(at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    AppendBertToken(line, parts);
    if (parts.tokens.size() > static_cast<size_t>(kMaxVocabulary)) {
      return Status::Of(Code::kLimitExceeded, "over {} tokens", kMaxVocabulary);
    }
  }
  return WordPiece::Create(std::move(parts));
}

}  // namespace ferry::llm
