// Where tokenizers come from beside tokenizer.json and Ferry's own files.
#pragma once

#include "common/base/json_fwd.h"
#include "device-runtime/formats/gguf.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"

namespace ferry::llm {

inline constexpr size_t kMaxTokenizerFileBytes = 64 << 20;

// Each: kMalformed, kUnsupported names the part, kLimitExceeded.

// tokenizer.model of sentencepiece, BPE or unigram. Source: its sentencepiece_model.proto.
Result<std::unique_ptr<Tokenizer>> TokenizerFromSentencePiece(ByteView model);
// Whether the bytes may be such a model.
bool LooksLikeSentencePiece(ByteView bytes);

// Ranks of tiktoken: lines of a token in base64 and its rank. `name` ("cl100k_base.tiktoken") tells
// how texts are cut and which special tokens there are; tokenizer.model is Llama 3's.
Result<std::unique_ptr<Tokenizer>> TokenizerFromTiktoken(ByteView ranks, std::string_view name);
bool LooksLikeTiktoken(ByteView bytes);

// vocab.json and merges.txt with Qwen2's cutting; tokenizer_config.json may be null.
Result<std::unique_ptr<Tokenizer>> TokenizerFromVocabAndMerges(ByteView vocab,
                                                               std::string_view merges,
                                                               const Json& config);
// vocab.txt: BERT's tokens, one a line. "do_lower_case" of tokenizer_config.json (may be null).
Result<std::unique_ptr<Tokenizer>> TokenizerFromVocabText(std::string_view vocab,
                                                          const Json& config);

// The vocabulary in a GGUF file's metadata: tokenizer.ggml.model is gpt2, llama, bert or t5.
// Special tokens are those of type control. kFailedPrecondition when the file has no tokenizer.
Result<std::unique_ptr<Tokenizer>> TokenizerFromGguf(const formats::Gguf& gguf);

}  // namespace ferry::llm
