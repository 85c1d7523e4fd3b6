// The tokenizer that a command names: alone, or as a part of a model.
#pragma once

#include <memory>
#include <string>

#include "device-runtime/llm/model.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"

namespace ferry::cli {

struct NamedTokenizer {
  std::unique_ptr<llm::Tokenizer> own;
  std::shared_ptr<const llm::Model> model;  // of a .flm file: the tokenizer is its
  const llm::Tokenizer* tokenizer = nullptr;
};

// A folder, tokenizer.json, tokenizer.model, ranks of tiktoken, GGUF or a .flm file. Only the last
// is opened as a model.
Result<NamedTokenizer> OpenTokenizer(const std::string& path);
// Whether `path` is a file of Ferry's own format, by its first bytes.
bool IsModelFile(const std::string& path);

}  // namespace ferry::cli
