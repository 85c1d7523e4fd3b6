// ferry llm generate: continues a prompt.
#include <unistd.h>

#include <cstdio>

#include "common/base/json.h"
#include "common/sys/clock.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"
#include "tools/ferry/llm/model_options.h"
#include "tools/ferry/llm/prompt_options.h"
#include "tools/ferry/llm/subcommands.h"
#include "tools/ferry/progress.h"
#include "tools/ferry/text/visible.h"

namespace ferry::cli {
namespace {

struct GenerateRequest {
  ModelOptions model;
  PromptOptions prompt;
  SamplingOptions sampling;
  int64_t max_new = 128;
  bool ignore_eos = false;
  std::string prefix_cache;  // a folder; empty: none
};

double MsSince(int64_t start_ns) {
  return static_cast<double>(sys::SystemClock().MonotonicNs() - start_ns) / 1e6;
}

// Shows tokens as they come: their text, or their ids where there is no tokenizer.
class Printer {
 public:
  explicit Printer(const llm::Tokenizer* tokenizer) {
    if (tokenizer != nullptr) decoder_.emplace(*tokenizer);
  }
  void Show(llm::TokenId id) {
    Print(decoder_ ? decoder_->Push(id) : fmt::format("{}{}", first_ ? "" : ",", id));
    first_ = false;
  }
  void Finish() { Print((decoder_ ? decoder_->Finish() : std::string()) + "\n"); }

 private:
  // What a model writes is text: no terminal obeys it, and files get it as it is.
  void Print(const std::string& text) const {
    const std::string& shown = terminal_ ? VisibleLines(text) : text;
    std::fwrite(shown.data(), 1, shown.size(), stdout);
    std::fflush(stdout);
  }

  std::optional<llm::StreamDecoder> decoder_;
  bool first_ = true;
  const bool terminal_ = ::isatty(STDOUT_FILENO) != 0;
};

struct Outcome {
  llm::Generated generated;
  double prompt_ms = 0;
  double answer_ms = 0;
};

Result<Outcome> Run(const OpenedModel& opened, const std::vector<llm::TokenId>& prompt,
                    const Sampling& sampling, const std::string& prefix_cache,
                    llm::GenerateOptions options) {
  FERRY_ASSIGN_OR_RETURN(const std::unique_ptr<llm::Session> session,
                         NewSession(opened, prefix_cache));
  llm::Sampler sampler(sampling.options, llm::PrfKey::FromSeed(sampling.seed),
                       opened.model->config().vocabulary);
  Outcome outcome;
  int64_t start = sys::SystemClock().MonotonicNs();
  {
    const Working working("reading the prompt");
    FERRY_TRY(session->Append(prompt));
  }
  outcome.prompt_ms = MsSince(start);
  start = sys::SystemClock().MonotonicNs();
  FERRY_ASSIGN_OR_RETURN(outcome.generated, Generate(*session, sampler, options));
  outcome.answer_ms = MsSince(start);
  return outcome;
}

Result<Output> GenerateText(const GenerateRequest& request, bool json) {
  FERRY_ASSIGN_OR_RETURN(const Sampling sampling, ResolveSampling(request.sampling));
  FERRY_ASSIGN_OR_RETURN(const OpenedModel opened, OpenModel(request.model));
  FERRY_ASSIGN_OR_RETURN(const std::vector<llm::TokenId> prompt,
                         ReadPrompt(request.prompt, *opened.model));
  const llm::Tokenizer* tokenizer = opened.model->tokenizer().value_or(nullptr);
  Printer printer(tokenizer);
  Progress progress("generating");
  llm::GenerateOptions options;
  options.max_new = request.max_new;
  options.stop_at_end_token = !request.ignore_eos;
  options.on_token = [&, count = int64_t{0}](llm::TokenId id) mutable {
    if (json) progress.Say(fmt::format("{} of {} tokens", ++count, request.max_new));
    if (!json) printer.Show(id);
    return true;
  };
  FERRY_ASSIGN_OR_RETURN(const Outcome outcome,
                         Run(opened, prompt, sampling, request.prefix_cache, options));
  if (!json) printer.Finish();
  const std::vector<llm::TokenId>& ids = outcome.generated.ids;
  const double seconds = outcome.answer_ms / 1e3;
  // The first token comes from the pass that read the prompt.
  const double per_s =
      seconds > 0 && ids.size() > 1 ? static_cast<double>(ids.size() - 1) / seconds : 0;
  Output out;
  Json& object = out.json();
  object = {{"ids", ids},
            {"text", nullptr},
            {"reason", llm::FinishReasonName(outcome.generated.reason)},
            {"prompt_tokens", prompt.size()},
            {"tokens_per_s", per_s},
            {"prompt_ms", outcome.prompt_ms},
            {"answer_ms", outcome.answer_ms},
            {"temperature", sampling.options.temperature},
            {"seed", sampling.seed}};
  if (tokenizer != nullptr) object["text"] = llm::Decode(*tokenizer, ids, true);
  if (!json)
    std::fprintf(stderr, "%zu tokens after %zu (%s), %.1f tokens/s\n", ids.size(), prompt.size(),
                 llm::FinishReasonName(outcome.generated.reason), per_s);
  return out;
}

}  // namespace

void AddLlmGenerate(Commands& commands, CLI::App* group) {
  const auto request = std::make_shared<GenerateRequest>();
  CLI::App* generate = commands.Add(
      group, "generate", "continue a prompt",
      "ferry llm generate MODEL --prompt \"It was\" --max-new 64 --seed 1 --temperature 0.8",
      [request](const GlobalOptions& global) { return GenerateText(*request, global.json); });
  AddModelOptions(generate, request->model);
  AddLoraOption(generate, request->model);
  AddPromptOptions(generate, request->prompt);
  AddSamplingOptions(generate, request->sampling);
  generate->add_option("--max-new", request->max_new, "most tokens to emit")
      ->check(CLI::Range(int64_t{0}, llm::kMaxContext))
      ->capture_default_str();
  generate->add_option("--prefix-cache", request->prefix_cache,
                       "a folder that keeps what was read of prompts, so that the next call that "
                       "begins the same does not read it again; private to its owner");
  generate->add_flag("--ignore-eos", request->ignore_eos, "go on after the model's end tokens");
}

}  // namespace ferry::cli
