// ferry llm ppl: perplexity on a text, window by window.
#include <algorithm>
#include <cmath>

#include "common/base/json.h"
#include "common/sys/clock.h"
#include "common/sys/filesystem.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"
#include "device-runtime/tensor/buffer.h"
#include "tools/ferry/llm/model_options.h"
#include "tools/ferry/llm/subcommands.h"
#include "tools/ferry/progress.h"

namespace ferry::cli {
namespace {

constexpr int64_t kPplRowsAtOnce = 128;  // of logits in memory

struct PplRequest {
  ModelOptions model;
  std::string text;
  int64_t window = 512;
  int64_t windows = 0;  // 0: as many as the text has
};

// -log of the probability that softmax(logits) gives `token`.
double NegativeLog(std::span<const float> logits, llm::TokenId token) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  return largest + std::log(sum) - logits[static_cast<size_t>(token)];
}

// The sum over a window: tokens [0, size - 1) are read, the last size - 1 predicted.
Result<double> ScoreWindow(llm::Session& session, std::span<const llm::TokenId> window,
                           std::span<float> logits, size_t vocabulary) {
  session.Truncate(0);
  // Tokens that are only predicted are checked by no forward pass.
  FERRY_TRY(session.model().CheckTokens(window.subspan(1), 0));
  double sum = 0;
  for (size_t at = 0; at + 1 < window.size(); at += kPplRowsAtOnce) {
    const size_t count = std::min<size_t>(kPplRowsAtOnce, window.size() - 1 - at);
    FERRY_TRY(
        session.AppendWithLogits(window.subspan(at, count), logits.subspan(0, count * vocabulary)));
    for (size_t row = 0; row < count; ++row)
      sum += NegativeLog(logits.subspan(row * vocabulary, vocabulary), window[at + row + 1]);
  }
  return sum;
}

// How many windows to score: what was asked for, at most what the text has.
Result<int64_t> CountWindows(const PplRequest& request, int64_t tokens) {
  const int64_t there = std::max<int64_t>(tokens - 1, 0) / request.window;
  const int64_t wanted = request.windows == 0 ? there : request.windows;
  if (wanted == 0 || wanted > there)
    return Status::Of(Code::kInvalidArgument, "{} has {} tokens: {} windows of {}, not {}",
                      request.text, tokens, there, request.window, std::max<int64_t>(wanted, 1));
  return wanted;
}

Result<Output> Perplexity(const PplRequest& request) {
  FERRY_ASSIGN_OR_RETURN(const OpenedModel opened, OpenModel(request.model));
  const llm::ModelConfig& config = opened.model->config();
  if (request.window > config.context)
    return Status::Of(Code::kLimitExceeded, "--window {} is over the model's context of {}",
                      request.window, config.context);
  FERRY_ASSIGN_OR_RETURN(const llm::Tokenizer* tokenizer, opened.model->tokenizer());
  FERRY_ASSIGN_OR_RETURN(const Bytes text,
                         ReadFile(sys::SystemFileSystem(), request.text, llm::kMaxEncodeBytes));
  FERRY_ASSIGN_OR_RETURN(const std::vector<llm::TokenId> ids,
                         tokenizer->Encode(AsText(text)).Context("{}", request.text));
  FERRY_ASSIGN_OR_RETURN(const int64_t windows,
                         CountWindows(request, static_cast<int64_t>(ids.size())));
  FERRY_ASSIGN_OR_RETURN(const std::unique_ptr<llm::Session> session, NewSession(opened));
  const auto vocabulary = static_cast<size_t>(config.vocabulary);
  const size_t rows = static_cast<size_t>(std::min(kPplRowsAtOnce, request.window));
  FERRY_ASSIGN_OR_RETURN(
      const tensor::Buffer buffer,
      tensor::Buffer::Allocate(static_cast<int64_t>(rows * vocabulary * sizeof(float))));
  const std::span<float> logits(reinterpret_cast<float*>(buffer.data()), rows * vocabulary);
  const int64_t start = sys::SystemClock().MonotonicNs();
  Progress progress("scoring");
  double sum = 0;
  int64_t scored = 0;
  for (int64_t i = 0; i < windows; ++i) {
    const auto window = std::span(ids).subspan(static_cast<size_t>(i * request.window),
                                               static_cast<size_t>(request.window) + 1);
    FERRY_ASSIGN_OR_RETURN(const double part, ScoreWindow(*session, window, logits, vocabulary));
    if (!std::isfinite(part))
      return Status::Of(Code::kBadModel, "{}: logits of window {} are NaN or infinite",
                        request.model.model, i + 1);
    sum += part;
    scored += request.window;
    progress.Say(fmt::format("window {} of {}, perplexity so far {:.3f}", i + 1, windows,
                             std::exp(sum / static_cast<double>(scored))));
  }
  const double seconds = static_cast<double>(sys::SystemClock().MonotonicNs() - start) / 1e9;
  const double perplexity = std::exp(sum / static_cast<double>(scored));
  Output out;
  Json& json = out.json();
  json = {{"perplexity", perplexity}, {"nats_per_token", sum / static_cast<double>(scored)},
          {"tokens", scored},         {"windows", windows},
          {"window", request.window}, {"text_tokens", ids.size()},
          {"seconds", seconds},       {"tokens_per_s", static_cast<double>(scored) / seconds}};
  out.text = fmt::format("perplexity {:.4f} over {} tokens, {} windows of {} ({:.0f} tokens/s)\n",
                         perplexity, scored, windows, request.window,
                         static_cast<double>(scored) / seconds);
  return out;
}

}  // namespace

void AddLlmPpl(Commands& commands, CLI::App* group) {
  const auto request = std::make_shared<PplRequest>();
  CLI::App* ppl =
      commands.Add(group, "ppl", "perplexity on a text: window i predicts tokens i*W+1 to i*W+W",
                   "ferry llm ppl MODEL --text book.txt --window 512 --windows 20",
                   [request](const GlobalOptions&) { return Perplexity(*request); });
  AddModelOptions(ppl, request->model);
  AddLoraOption(ppl, request->model);
  ppl->add_option("--text", request->text, "a UTF-8 file, tokenised whole")->required();
  ppl->add_option("--window", request->window, "tokens predicted in a window, from nothing")
      ->check(CLI::Range(int64_t{1}, llm::kMaxContext))
      ->capture_default_str();
  ppl->add_option("--windows", request->windows, "how many windows; all by default")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 40));
}

}  // namespace ferry::cli
