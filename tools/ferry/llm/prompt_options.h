// What a command continues, and how it chooses tokens. The same options mean the same in every
// command, so that the same prompt, seed and temperature give the same ids.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device-runtime/llm/model.h"
#include "device-runtime/llm/sampler/sampler.h"
#include "tools/ferry/command.h"

namespace ferry::cli {

inline constexpr size_t kMaxPromptBytes = 64 << 20;

struct PromptOptions {
  std::string ids;  // "1,2,3"
  std::optional<std::string> text;
  std::optional<std::string> file;  // "-": standard input
};
// --ids, --prompt and --prompt-file; one of them is needed.
void AddPromptOptions(CLI::App* command, PromptOptions& options);
// The tokens, at least one, checked against the vocabulary. Ids need no tokenizer. Special tokens'
// texts count as those tokens; nothing is added.
Result<std::vector<llm::TokenId>> ReadPrompt(const PromptOptions& options, const llm::Model& model);
// "1,2,3" (spaces allowed). kInvalidArgument names the word that is no id, or says that none is
// there.
Result<std::vector<llm::TokenId>> ParseIds(std::string_view text);

struct SamplingOptions {
  bool greedy = false;
  std::optional<uint64_t> seed;
  std::optional<double> temperature;
  int64_t top_k = 0;
  double top_p = 1;
  double repetition_penalty = 1;
};
// --greedy, --seed, --temperature, --top-k, --top-p, --repetition-penalty.
void AddSamplingOptions(CLI::App* command, SamplingOptions& options);

struct Sampling {
  llm::SamplerOptions options;
  uint64_t seed = 0;
};
// Greedy, unless a temperature or a seed was given: a seed alone means temperature 1, a temperature
// alone a random seed. kInvalidArgument as SamplerOptions::Check.
Result<Sampling> ResolveSampling(const SamplingOptions& options);

}  // namespace ferry::cli
