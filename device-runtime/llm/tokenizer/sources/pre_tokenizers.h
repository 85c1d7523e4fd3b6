// How published tokenizers cut texts, by name: tokenizer.ggml.pre of GGUF, names of tiktoken files.
// Source: the pre-tokenizers of the models' own tokenizer.json files, tiktoken's registry, and the
// names that llama.cpp's converter gives them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "device-runtime/llm/tokenizer/text/split.h"

namespace ferry::llm {

struct PreTokenizer {
  std::string_view name;
  std::span<const std::string_view> expressions;  // one step each, matches isolated
  bool whole_pieces = false;                      // of byte-level BPE
};

// Null for an unknown name.
const PreTokenizer* FindPreTokenizer(std::string_view name);
// All names, for messages.
std::string PreTokenizerNames();
std::vector<SplitStep> StepsOf(const PreTokenizer& pre);

}  // namespace ferry::llm
