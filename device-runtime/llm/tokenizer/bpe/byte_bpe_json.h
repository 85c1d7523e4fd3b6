// Byte-level BPE as files describe it. Source: formats of Hugging Face's tokenizers library.
#pragma once

#include "device-runtime/llm/tokenizer/bpe/byte_bpe.h"
#include "device-runtime/llm/tokenizer/json/tokenizer_json.h"

namespace ferry::llm {

// Of a whole tokenizer.json. kUnsupported names the part; kMalformed.
Result<BpeParts> BpePartsFromJson(const TokenizerJson& json);
// Takes tokens spelled in the byte alphabet for their bytes; others are only decoded.
void TokensOfAlphabet(std::vector<Token>& tokens);

}  // namespace ferry::llm
