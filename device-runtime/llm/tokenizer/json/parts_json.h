// The parts of tokenizer.json that kinds share. Source: formats of Hugging Face's tokenizers and
// transformers libraries.
#pragma once

#include "device-runtime/llm/tokenizer/json/tokenizer_json.h"

namespace ferry::llm {

// Each: kUnsupported names the part; kMalformed.

// "normalizer" as steps.
Result<std::vector<NormalStep>> NormalStepsFromJson(const Json& normalizer);
// "pre_tokenizer" as steps. `byte_level`: it must end in ByteLevel, else it must hold none.
Result<std::vector<SplitStep>> SplitStepsFromJson(const Json& pre_tokenizer, bool byte_level);
// "decoder".
Result<ShownAs> ShownAsFromJson(const Json& decoder);
// Post-processors only add tokens around a text, which Encode never does, or move offsets.
Status CheckPostProcessor(const Json& json, int depth = 0);
// "added_tokens", by id.
Result<std::vector<AddedToken>> AddedFromTokenizer(const Json& tokenizer);
// "added_tokens_decoder" of tokenizer_config.json, by id.
Result<std::vector<AddedToken>> AddedFromConfig(const Json& config);
void SortAddedById(std::vector<AddedToken>& added);

// Of the vocabulary's object or list: kMatched tokens by id, but for those without text.
Result<std::vector<Token>> TokensFromJson(const TokenizerJson& json);

// The expression that GPT-2 cuts by, and ByteLevel unless told otherwise.
inline constexpr std::string_view kGpt2Expression =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
// Punctuation as Punctuation and BertPreTokenizer have it.
inline constexpr std::string_view kPunctuationExpression = R"([\p{P}$+<=>^`|~])";

}  // namespace ferry::llm
