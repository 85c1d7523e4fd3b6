#include "tools/ferry/llm/split.h"

#include "common/base/json.h"
#include "device-runtime/llm/speculative/frames.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"
#include "tools/ferry/llm/model_options.h"
#include "tools/ferry/llm/prompt_options.h"
#include "tools/ferry/progress.h"
#include "tools/ferry/split/checks.h"
#include "tools/splitsim/splitsim.h"

namespace ferry::cli {
namespace {

struct SplitRequest {
  std::string draft, target;
  ModelOptions run;
  PromptOptions prompt;
  SamplingOptions sampling;
  int64_t max_new = 128;
  bool ignore_eos = false;
  std::string mode = "sync";
  int64_t draft_tokens = 0;
  double draft_cost_ms = 0, target_cost_ms = 0;
  llm::SimLinkOptions link;
  uint64_t link_seed = 1;
};

// The opened model may be the same file twice: then its memory is too.
Result<OpenedModel> Open(const ModelOptions& run, const std::string& path) {
  ModelOptions options = run;
  options.model = path;
  return OpenModel(options).Context("{}", path);
}

Result<splitsim::Simulation> Prepare(const SplitRequest& request, const OpenedModel& draft,
                                     const OpenedModel& target, const Sampling& sampling) {
  splitsim::Simulation simulation;
  simulation.draft = draft.model;
  simulation.target = target.model;
  simulation.draft_parallel = draft.parallel.get();
  simulation.target_parallel = target.parallel.get();
  simulation.kv_bytes = target.kv.limit_bytes;
  FERRY_ASSIGN_OR_RETURN(simulation.prompt, ReadPrompt(request.prompt, *target.model));
  llm::SplitOptions& options = simulation.options;
  options.pipelined = request.mode == "pipelined";
  options.draft_tokens = request.draft_tokens;
  options.fallback = false;
  options.sampler = sampling.options;
  options.key = llm::PrfKey::FromSeed(sampling.seed);
  options.max_new = request.max_new;
  options.stop_at_end_token = !request.ignore_eos;
  options.draft_name = request.draft;
  simulation.link = request.link;
  simulation.seed = request.link_seed;
  simulation.draft_ms = request.draft_cost_ms;
  simulation.target_ms = request.target_cost_ms;
  return simulation;
}

Json ToJson(const SplitRequest& request, const Sampling& sampling, const splitsim::Simulated& split,
            const std::vector<llm::TokenId>& cloud_ids) {
  const llm::SplitStats& stats = split.stats;
  const auto per_token = [&](int64_t count) {
    return split.ids.empty() ? 0.0
                             : static_cast<double>(count) / static_cast<double>(split.ids.size());
  };
  const int64_t rounds_up = stats.bytes_up - stats.setup_bytes_up;
  const int64_t rounds_down = stats.bytes_down - stats.setup_bytes_down;
  const double acceptance =
      stats.compared > 0 ? static_cast<double>(stats.accepted) / static_cast<double>(stats.compared)
                         : 0.0;
  return {{"ids", split.ids},
          {"cloud_ids", cloud_ids},
          {"text", nullptr},
          {"reason", llm::FinishReasonName(split.reason)},
          {"mode", request.mode},
          {"acceptance", acceptance},
          {"compared", stats.compared},
          {"accepted", stats.accepted},
          {"drafted", stats.drafted},
          {"rounds", stats.rounds},
          {"retransmits", stats.retransmits},
          {"reopens", stats.reopens},
          {"target_passes", split.target_passes},
          {"passes_per_token", per_token(split.target_passes)},
          {"bytes_up", rounds_up},
          {"bytes_down", rounds_down},
          {"bytes_per_token", per_token(rounds_up + rounds_down)},
          {"setup_bytes_up", stats.setup_bytes_up},
          {"setup_bytes_down", stats.setup_bytes_down},
          {"tokens_per_s", split.tokens_per_s},
          {"virtual_seconds", split.virtual_s},
          {"first_token_seconds", split.first_token_s},
          {"round_trip_ms", stats.round_trip_ms},
          {"draft_ms", split.draft_ms_mean},
          {"target_ms", split.target_ms_mean},
          {"temperature", sampling.options.temperature},
          {"seed", sampling.seed}};
}

// Where the two texts part.
Status CompareTexts(const std::vector<llm::TokenId>& ids,
                    const std::vector<llm::TokenId>& cloud_ids) {
  if (ids == cloud_ids) return OkStatus();
  size_t at = 0;
  while (at < ids.size() && at < cloud_ids.size() && ids[at] == cloud_ids[at]) ++at;
  return Status::Of(Code::kInternal,
                    "the split's text is not the cloud's: they part at token {} ({} and {} tokens)",
                    at, ids.size(), cloud_ids.size());
}

std::string Summary(const Json& json) {
  return fmt::format(
      "\n{} tokens, {:.1f} tokens/s in virtual time; acceptance {:.3f}, {:.2f} target passes and "
      "{:.1f} bytes a token\nequal to the cloud's own text\n",
      json["ids"].size(), json["tokens_per_s"].get<double>(), json["acceptance"].get<double>(),
      json["passes_per_token"].get<double>(), json["bytes_per_token"].get<double>());
}

Result<Output> Split(const SplitRequest& request) {
  FERRY_ASSIGN_OR_RETURN(const Sampling sampling, ResolveSampling(request.sampling));
  FERRY_ASSIGN_OR_RETURN(const OpenedModel draft, Open(request.run, request.draft));
  FERRY_ASSIGN_OR_RETURN(const OpenedModel target, Open(request.run, request.target));
  FERRY_ASSIGN_OR_RETURN(const splitsim::Simulation simulation,
                         Prepare(request, draft, target, sampling));
  const Working working("drafting and verifying");
  FERRY_ASSIGN_OR_RETURN(const splitsim::Simulated split, splitsim::Run(simulation));
  FERRY_ASSIGN_OR_RETURN(const std::vector<llm::TokenId> cloud_ids,
                         splitsim::CloudOnly(simulation));
  Output out;
  out.json() = ToJson(request, sampling, split, cloud_ids);
  if (const auto tokenizer = target.model->tokenizer(); tokenizer.ok()) {
    const std::string text = llm::Decode(**tokenizer, split.ids, true);
    out.json()["text"] = text;
    out.text = text;
  }
  out.failed = CompareTexts(split.ids, cloud_ids);
  if (out.failed.ok()) out.text += Summary(out.json());
  return out;
}

void AddOptions(CLI::App* split, SplitRequest& request) {
  split->add_option("draft", request.draft, "the device's model: a folder or a .flm file")
      ->required();
  split->add_option("target", request.target, "the cloud's model")->required();
  AddRunOptions(split, request.run);
  AddPromptOptions(split, request.prompt);
  AddSamplingOptions(split, request.sampling);
  split->add_option("--max-new", request.max_new, "most tokens to emit")
      ->check(CLI::Range(int64_t{0}, llm::kMaxContext))
      ->capture_default_str();
  split->add_flag("--ignore-eos", request.ignore_eos, "go on after the target's end tokens");
  split
      ->add_option("--mode", request.mode, "sync: a round at a time; pipelined: draft on meanwhile")
      ->check(CLI::IsMember({"sync", "pipelined"}))
      ->capture_default_str();
  split->add_option("--draft-tokens", request.draft_tokens, "drafts of a round; 0: chosen")
      ->check(CLI::Range(int64_t{0}, llm::kMaxDraftTokens));
  split->add_option("--delay-ms", request.link.round_trip_ms, "round trip of the link")
      ->check(CLI::Range(0, 60000));
  split->add_option("--jitter-ms", request.link.jitter_ms, "each frame up to so much later")
      ->check(CLI::Range(0, 60000));
  split->add_option("--loss", request.link.loss, "probability that a frame is lost")
      ->check(NumberWithin(0, 0.9));
  split->add_option("--duplicate", request.link.duplicate, "probability that it arrives twice")
      ->check(NumberWithin(0, 1));
  split->add_option("--link-seed", request.link_seed, "of losses and jitter")
      ->check(WholeNumber())
      ->capture_default_str();
  split
      ->add_option("--draft-cost-ms", request.draft_cost_ms,
                   "a draft token takes so much beyond its computation")
      ->check(NumberWithin(0, 60000));
  split->add_option("--target-cost-ms", request.target_cost_ms, "and a pass of the target")
      ->check(NumberWithin(0, 60000));
}

}  // namespace

void AddLlmSplit(Commands& commands, CLI::App* group) {
  const auto request = std::make_shared<SplitRequest>();
  CLI::App* split = commands.Add(
      group, "split",
      "draft and verify in one process over a simulated link, in virtual time; ends with an error "
      "if the text is not the target's own",
      "ferry llm split pair/draft pair/target --prompt \"It was\" --seed 1 --delay-ms 30",
      [request](const GlobalOptions&) { return Split(*request); });
  AddOptions(split, *request);
}

}  // namespace ferry::cli
