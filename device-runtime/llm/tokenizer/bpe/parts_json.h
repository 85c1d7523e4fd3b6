// Byte-level BPE as files describe it. Source: formats of Hugging Face's tokenizers and
// transformers libraries.
#pragma once

#include "common/base/json.h"
#include "device-runtime/llm/tokenizer/bpe/parts.h"

namespace ferry::llm {

// Of a whole tokenizer.json. kUnsupported names the part; kMalformed.
Result<BpeParts> BpePartsFromJson(const Json& tokenizer);
// Of vocab.json, merges.txt and (may be null) tokenizer_config.json, with Qwen2's pre-tokenizer.
Result<BpeParts> BpePartsFromFiles(const Json& vocab, std::string_view merges, const Json& config);

// "pre_tokenizer" as steps; kUnsupported when it does not end in ByteLevel.
Result<std::vector<SplitStep>> SplitStepsFromJson(const Json& pre_tokenizer);

}  // namespace ferry::llm
