// How far one model's next-token distributions are from another's on a text.
#pragma once

#include <string>

#include "common/base/status.h"
#include "tools/ferry/llm/model_options.h"

namespace ferry::cli {

struct Comparison {
  double source_perplexity = 0, perplexity = 0;
  double kl = 0;        // mean over tokens of KL(source || other), in nats
  double same_top = 0;  // share of tokens whose likeliest next token is the same
  int64_t tokens = 0;
};

// Over windows of 512 tokens of the UTF-8 file `text`, each from nothing, at most `most_windows`.
// The source's tokenizer reads the text. kInvalidArgument for a text of less than a window;
// kFailedPrecondition for vocabularies that differ.
Result<Comparison> CompareOnText(const OpenedModel& source, const OpenedModel& other,
                                 const std::string& text, int64_t most_windows);

}  // namespace ferry::cli
