// Where tokenizers come from beside tokenizer.json and Ferry's own files.
#pragma once

#include "common/base/json_fwd.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"

namespace ferry::llm {

inline constexpr size_t kMaxTokenizerFileBytes = 64 << 20;

// Each: kMalformed, kUnsupported names the part, kLimitExceeded.

// vocab.json and merges.txt with Qwen2's cutting; tokenizer_config.json may be null.
Result<std::unique_ptr<Tokenizer>> TokenizerFromVocabAndMerges(ByteView vocab,
                                                               std::string_view merges,
                                                               const Json& config);
}  // namespace ferry::llm
