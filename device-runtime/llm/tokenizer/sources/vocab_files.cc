// Vocabularies in files of their own: vocab.json with merges.txt.
#include "device-runtime/llm/tokenizer/bpe/byte_bpe_json.h"
#include "device-runtime/llm/tokenizer/bpe/merge_list.h"
#include "device-runtime/llm/tokenizer/json/parts_json.h"
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

}  // namespace ferry::llm
