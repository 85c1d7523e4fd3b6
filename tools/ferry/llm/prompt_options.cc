#include "tools/ferry/llm/prompt_options.h"

#include <charconv>

#include "common/sys/filesystem.h"
#include "common/sys/random.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"
#include "tools/ferry/split/checks.h"
#include "tools/ferry/standard_streams.h"

namespace ferry::cli {
namespace {

Result<std::string> ReadText(const std::string& file) {
  if (file != "-") {
    FERRY_ASSIGN_OR_RETURN(const Bytes bytes,
                           ReadFile(sys::SystemFileSystem(), file, kMaxPromptBytes));
    return std::string(AsText(bytes));
  }
  return ReadStandardInput(kMaxPromptBytes);
}

std::string_view Trim(std::string_view word) {
  const size_t begin = word.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return word.substr(begin, word.find_last_not_of(" \t\r\n") - begin + 1);
}

}  // namespace

void AddPromptOptions(CLI::App* command, PromptOptions& options) {
  CLI::Option_group* prompt = command->add_option_group("prompt");
  prompt->add_option("--ids", options.ids, "token ids to continue: 1,2,3 (needs no tokenizer)");
  prompt->add_option("--prompt", options.text, "text to continue; nothing is added to it");
  prompt->add_option("--prompt-file", options.file, "a file with it; - for standard input");
  prompt->require_option(1);
}

Result<std::vector<llm::TokenId>> ParseIds(std::string_view text) {
  std::vector<llm::TokenId> ids;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view word = Trim(text.substr(begin, end - begin));
    llm::TokenId id = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (word.empty() || error != std::errc() || stop != word.data() + word.size())
      return Status::Of(Code::kInvalidArgument, "--ids: \"{}\" is no token id", word.substr(0, 40));
    ids.push_back(id);
    begin = end + 1;
  }
  return ids;
}

Result<std::vector<llm::TokenId>> ReadPrompt(const PromptOptions& options,
                                             const llm::Model& model) {
  std::vector<llm::TokenId> ids;
  if (!options.text && !options.file) {
    FERRY_ASSIGN_OR_RETURN(ids, ParseIds(options.ids));
  } else {
    FERRY_ASSIGN_OR_RETURN(const llm::Tokenizer* tokenizer, model.tokenizer());
    FERRY_ASSIGN_OR_RETURN(const std::string text, options.text ? Result<std::string>(*options.text)
                                                                : ReadText(*options.file));
    FERRY_ASSIGN_OR_RETURN(ids, tokenizer->Encode(text).Context("the prompt"));
    if (ids.empty()) return Status(Code::kInvalidArgument, "the prompt is empty");
  }
  FERRY_TRY(model.CheckTokens(ids, 0).Context("the prompt"));
  return ids;
}

void AddSamplingOptions(CLI::App* command, SamplingOptions& options) {
  command->add_flag("--greedy", options.greedy, "always the most probable token (the default)");
  command->add_option("--temperature", options.temperature,
                      "sample at this temperature; 0 is greedy; 1 when only --seed is given");
  command
      ->add_option("--seed", options.seed,
                   "of the randomness; a random one when only --temperature is given")
      ->check(WholeNumber());
  command->add_option("--top-k", options.top_k, "only the K most probable tokens; 0: all");
  command->add_option("--top-p", options.top_p, "only the most probable that sum to P; 1: all");
  command->add_option("--repetition-penalty", options.repetition_penalty,
                      "makes tokens that are there less probable; 1: off");
}

Result<Sampling> ResolveSampling(const SamplingOptions& options) {
  if (options.greedy && options.temperature.value_or(0) != 0)
    return Status(Code::kInvalidArgument, "--greedy and a --temperature over 0 exclude each other");
  Sampling sampling;
  const double unless_given = options.seed && !options.greedy ? 1 : 0;
  sampling.options.temperature = static_cast<float>(options.temperature.value_or(unless_given));
  sampling.options.top_k = options.top_k;
  sampling.options.top_p = static_cast<float>(options.top_p);
  sampling.options.repetition_penalty = static_cast<float>(options.repetition_penalty);
  FERRY_TRY(sampling.options.Check());
  const bool random = !options.seed && sampling.options.temperature > 0;
  sampling.seed = random ? sys::SystemRandom().Next64() : options.seed.value_or(0);
  return sampling;
}

}  // namespace ferry::cli
