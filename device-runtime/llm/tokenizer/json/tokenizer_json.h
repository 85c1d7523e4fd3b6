// tokenizer.json as it is read: vocabulary and merges, which make nearly all of it, go straight
// into lists; only the rest becomes a JSON value. Source: the format of Hugging Face's tokenizers
// library.
#pragma once

#include "common/base/bytes.h"
#include "common/base/json.h"
#include "device-runtime/llm/tokenizer/json/text_list.h"
#include "device-runtime/llm/tokenizer/pipeline/parts.h"

namespace ferry::llm {

inline constexpr size_t kMaxTokenizerJsonBytes = 64 << 20;
inline constexpr size_t kMaxMerges = 1 << 21;

struct TokenizerJson {
  Json json;  // "model"."vocab" and "model"."merges" are empty in it

  TextList tokens;             // the vocabulary in the order of the file
  std::vector<uint32_t> ids;   // an object's: of each token
  std::vector<double> scores;  // a list's: of each token, whose id is its place
  bool vocab_is_list = false;

  TextList merges;  // two texts each
};

// Memory is at most a small multiple of the text. kMalformed names the offset or the thing;
// kLimitExceeded past kMaxTokenizerJsonBytes, kMaxMerges, kMaxVocabulary or kMaxJsonDepth.
Result<TokenizerJson> ReadTokenizerJson(ByteView text);
// vocab.json alone: an object of tokens and ids, in the lists.
Result<TokenizerJson> ReadVocabJson(ByteView text);

// A member, or null.
const Json& Member(const Json& object, std::string_view key);
// "" and null both stand for none.
bool IsNone(const Json& object, std::string_view key);

}  // namespace ferry::llm
