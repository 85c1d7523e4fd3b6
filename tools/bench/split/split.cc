#include "tools/bench/split/split.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/base/json.h"
#include "common/sys/filesystem.h"
#include "device-runtime/llm/speculative/c4.h"
#include "device-runtime/llm/speculative/frames.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"
#include "tools/splitsim/splitsim.h"

namespace ferry::bench {
namespace {

constexpr double kDraftMs = 10, kTargetMs = 60;  // stand for models of 0.5 and 7 billion weights
constexpr double kSyntheticAcceptance = 0.8;
constexpr int64_t kMostDrafts = 32;  // looked at by the formulas
constexpr char kPrompt[] =
    "It was a bright cold morning when she came down to the harbour, and the old man who kept the "
    "boats";

struct Table {
  std::string name, title;
  bool computed;               // real computation is charged
  bool synthetic;              // the draft is an oracle
  double draft_ms, target_ms;  // beyond computation
};
constexpr const char* kModes[] = {"device-only", "cloud-only", "sync", "pipelined"};

const std::vector<Table>& Tables() {
  static const std::vector<Table> tables = {
      {"measured", "the pair, what it really costs here", true, false, 0, 0},
      {"costs", "the pair, 10 ms a draft token and 60 ms a target step", false, false, kDraftMs,
       kTargetMs},
      {"synthetic",
       "SYNTHETIC draft of acceptance 0.8, 10 ms a draft token and 60 ms a target step", false,
       true, kDraftMs, kTargetMs},
  };
  return tables;
}

struct Bench {
  const SplitArguments& arguments;
  Pair pair;
  std::unique_ptr<sys::Parallel> parallel;
  std::vector<llm::TokenId> prompt;
};

splitsim::Simulation Simulate(const Bench& bench, const Table& table, int64_t delay_ms,
                              const std::string& mode) {
  splitsim::Simulation simulation;
  simulation.draft = bench.pair.draft;
  simulation.target = bench.pair.target;
  simulation.draft_parallel = simulation.target_parallel = bench.parallel.get();
  simulation.prompt = bench.prompt;
  simulation.link.round_trip_ms = delay_ms;
  simulation.charge_computation = table.computed;
  simulation.draft_ms = table.draft_ms;
  simulation.target_ms = table.target_ms;
  llm::SplitOptions& options = simulation.options;
  options.mode = mode == "device-only"  ? llm::SplitMode::kDeviceOnly
                 : mode == "cloud-only" ? llm::SplitMode::kCloudOnly
                                        : llm::SplitMode::kSplit;
  options.pipelined = mode == "pipelined";
  options.fallback = false;
  options.sampler.temperature = static_cast<float>(bench.arguments.temperature);
  options.key = llm::PrfKey::FromSeed(bench.arguments.seed);
  options.max_new = bench.arguments.max_new;
  options.stop_at_end_token = false;
  return simulation;
}

// By the formula of each mode, with acceptance and costs as they were measured.
double FormulaMs(const std::string& mode, const llm::SplitCosts& costs) {
  if (mode == "device-only") return costs.draft_ms;
  if (mode == "cloud-only") return costs.step_ms;
  if (mode == "sync") return llm::BestSync(costs, kMostDrafts).ms_per_token;
  return llm::BestPipelined(costs, kMostDrafts).ms_per_token;
}

Result<SplitRow> RunOne(const Bench& bench, const Table& table, int64_t delay_ms,
                        const std::string& mode, const std::vector<llm::TokenId>& truth,
                        llm::SplitCosts* costs) {
  splitsim::Simulation simulation = Simulate(bench, table, delay_ms, mode);
  std::unique_ptr<llm::Drafter> oracle;
  if (table.synthetic) {
    oracle = splitsim::MakeOracle(truth, kSyntheticAcceptance,
                                  bench.pair.target->config().vocabulary, bench.arguments.seed);
    simulation.drafter = oracle.get();
  }
  FERRY_ASSIGN_OR_RETURN(const splitsim::Simulated done, splitsim::Run(simulation));
  const llm::SplitStats& stats = done.stats;
  SplitRow row;
  row.delay_ms = delay_ms;
  row.mode = mode;
  row.tokens_per_s = done.tokens_per_s;
  row.setup_bytes = static_cast<double>(stats.setup_bytes_up + stats.setup_bytes_down);
  const auto emitted = static_cast<double>(std::max<int64_t>(stats.emitted, 1));
  row.bytes_per_token =
      (static_cast<double>(stats.bytes_up + stats.bytes_down) - row.setup_bytes) / emitted;
  row.passes_per_token = static_cast<double>(done.target_passes) / emitted;
  costs->round_trip_ms = static_cast<double>(delay_ms);
  if (mode == "device-only") costs->draft_ms = done.draft_ms_mean;
  if (mode == "cloud-only") costs->step_ms = done.target_ms_mean;
  if (mode == "sync" || mode == "pipelined") {
    row.acceptance = static_cast<double>(stats.accepted) /
                     static_cast<double>(std::max<int64_t>(stats.compared, 1));
    costs->acceptance = row.acceptance;
    costs->draft_ms = done.draft_ms_mean;
    costs->verify_ms = done.target_ms_mean;
  }
  row.formula_per_s = 1000 / FormulaMs(mode, *costs);
  return row;
}

Result<std::vector<SplitRow>> RunTable(const Bench& bench, const Table& table) {
  std::vector<llm::TokenId> truth;
  if (table.synthetic) {
    splitsim::Simulation simulation = Simulate(bench, table, 0, "sync");
    simulation.options.max_new += llm::kMaxDraftTokens;
    FERRY_ASSIGN_OR_RETURN(truth, splitsim::CloudOnly(simulation));
    truth.insert(truth.begin(), bench.prompt.begin(), bench.prompt.end());
  }
  std::vector<SplitRow> rows;
  for (int64_t delay_ms : bench.arguments.delays_ms) {
    llm::SplitCosts costs;
    for (const char* mode : kModes) {
      // Alone, the synthetic draft would say what the target says.
      FERRY_ASSIGN_OR_RETURN(SplitRow row, RunOne(bench, table, delay_ms, mode, truth, &costs));
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

void PrintRows(const Table& table, const std::vector<SplitRow>& rows) {
  fmt::print("\n{}\n{:>6} {:<12} {:>9} {:>9} {:>6} {:>8} {:>7} {:>7} {:>8} {:>7}\n", table.title,
             "rtt ms", "mode", "tokens/s", "formula", "ratio", "x cloud", "accept", "B/token",
             "passes/t", "setup B");
  double cloud = 1;
  for (const SplitRow& row : rows) {
    if (row.mode == "cloud-only") cloud = row.tokens_per_s;
    const bool split = row.acceptance > 0;
    fmt::print("{:>6} {:<12} {:>9.1f} {:>9.1f} {:>6.2f} {:>8} {:>7} {:>7.1f} {:>8.2f} {:>7.0f}\n",
               row.delay_ms, row.mode, row.tokens_per_s, row.formula_per_s,
               row.tokens_per_s / row.formula_per_s,
               split ? fmt::format("{:.2f}", row.tokens_per_s / cloud) : "",
               split ? fmt::format("{:.3f}", row.acceptance) : "", row.bytes_per_token,
               row.passes_per_token, row.setup_bytes);
  }
}

void PrintCosts(const std::vector<VerifyCost>& costs) {
  fmt::print("\na pass of several tokens over one step\n{:>8} {:>8} {:>7} {:>9} {:>6}\n", "weights",
             "threads", "tokens", "ms", "ratio");
  for (const VerifyCost& cost : costs) {
    fmt::print("{:>8} {:>8} {:>7} {:>9.2f} {:>6.2f}\n", cost.weights, cost.threads, cost.tokens,
               cost.ms, cost.ratio);
  }
}

Json ToJson(const std::vector<SplitRow>& rows) {
  Json out = Json::array();
  for (const SplitRow& row : rows) {
    out.push_back({{"round_trip_ms", row.delay_ms},
                   {"mode", row.mode},
                   {"tokens_per_s", row.tokens_per_s},
                   {"formula_per_s", row.formula_per_s},
                   {"bytes_per_token", row.bytes_per_token},
                   {"setup_bytes", row.setup_bytes},
                   {"acceptance", row.acceptance},
                   {"passes_per_token", row.passes_per_token}});
  }
  return out;
}

Json ToJson(const std::vector<VerifyCost>& costs) {
  Json out = Json::array();
  for (const VerifyCost& cost : costs) {
    out.push_back({{"weights", cost.weights},
                   {"threads", cost.threads},
                   {"tokens", cost.tokens},
                   {"ms", cost.ms},
                   {"ratio", cost.ratio}});
  }
  return out;
}

// The first of these pairs that is there: the trained folders beside the project, or the task's
// own.
Result<Pair> LoadPair(const SplitArguments& arguments) {
  std::vector<std::pair<std::string, std::string>> places = {
      {"../shared/lm-pair/draft", "../shared/lm-pair/target"},
      {"tasks/pair/draft.flm", "tasks/pair/target.flm"}};
  if (!arguments.draft.empty() || !arguments.target.empty()) {
    places = {{arguments.draft, arguments.target}};
  }
  sys::FileSystem& fs = sys::SystemFileSystem();
  for (const auto& [draft, target] : places) {
    if (places.size() > 1 && (!sys::Exists(fs, draft) || !sys::Exists(fs, target))) continue;
    Pair pair;
    FERRY_ASSIGN_OR_RETURN(pair.draft, llm::Model::Load(fs, draft));
    FERRY_ASSIGN_OR_RETURN(pair.target, llm::Model::Load(fs, target));
    return pair;
  }
  return Status(Code::kNotFound, "no models; give --draft and --target");
}

Status Measure(const SplitArguments& arguments, Json* json) {
  Bench bench{arguments, {}, nullptr, {}};
  FERRY_ASSIGN_OR_RETURN(bench.pair, LoadPair(arguments));
  if (arguments.threads > 1) bench.parallel = sys::StartThreadPool(arguments.threads);
  FERRY_ASSIGN_OR_RETURN(const llm::Tokenizer* tokenizer, bench.pair.target->tokenizer());
  FERRY_ASSIGN_OR_RETURN(bench.prompt,
                         tokenizer->Encode(arguments.prompt.empty() ? kPrompt : arguments.prompt));
  const auto wanted = [&](const std::string& name) {
    return std::find(arguments.tables.begin(), arguments.tables.end(), name) !=
           arguments.tables.end();
  };
  for (const Table& table : Tables()) {
    if (!wanted(table.name)) continue;
    FERRY_ASSIGN_OR_RETURN(const std::vector<SplitRow> rows, RunTable(bench, table));
    (*json)[table.name] = ToJson(rows);
    if (!arguments.json) PrintRows(table, rows);
  }
  if (!wanted("verify")) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const std::vector<VerifyCost> costs,
                         MeasureVerifyCosts(*bench.pair.target));
  (*json)["verify"] = ToJson(costs);
  if (!arguments.json) PrintCosts(costs);
  return OkStatus();
}

}  // namespace

void AddSplitCommand(CLI::App& app, SplitArguments& arguments, bool* chosen) {
  CLI::App* split = app.add_subcommand(
      "split", "a split language model: tokens/s in virtual time, beside the formulas");
  split->callback([chosen] { *chosen = true; });
  split->add_option("--draft", arguments.draft, "default: the trained pair");
  split->add_option("--target", arguments.target, "default: the trained pair");
  split->add_option("--prompt", arguments.prompt, "text to continue");
  split->add_option("--delays-ms", arguments.delays_ms, "round trips")
      ->delimiter(',')
      ->check(CLI::Range(0, 60000));
  split->add_option("--max-new", arguments.max_new, "tokens of a run")
      ->check(CLI::Range(1, 1 << 20));
  split->add_option("--threads", arguments.threads, "of both models")->check(CLI::Range(1, 256));
  split->add_option("--seed", arguments.seed, "of the sampling");
  split->add_option("--temperature", arguments.temperature, "0: greedy")
      ->check(CLI::Range(0.0, 100.0));
  split->add_option("--tables", arguments.tables, "measured, costs, synthetic, verify")
      ->delimiter(',')
      ->check(CLI::IsMember({"measured", "costs", "synthetic", "verify"}));
  split->add_flag("--json", arguments.json, "print JSON");
}

int RunSplit(const SplitArguments& arguments) {
  Json json = Json::object();
  const Status status = Measure(arguments, &json);
  if (!status.ok()) {
    fmt::print(stderr, "ferry-bench split: {}\n", status.ToString());
    return 1;
  }
  if (arguments.json) fmt::print("{}\n", json.dump(2));
  return 0;
}

}  // namespace ferry::bench
