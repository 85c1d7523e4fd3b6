// ferry-rollout-bench: what entering a stage costs with many devices, and what their reports cost.
//
//   ferry-rollout-bench FOLDER|postgres://.. [--devices N] [--reports N] [--nodes N] [--json]
//
// FOLDER is empty and on the disk that is meant, a database is empty. Reports come in rounds that
// alternate: a group that is queued, as from open lines, and single ones with a commit each;
// figures are medians.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <future>
#include <mutex>
#include <thread>

#include "cloud-server/store/open.h"
#include "common/base/json.h"
#include "tools/bench/rollout/fleet.h"

namespace ferry::bench {
namespace {

constexpr int kRounds = 5;
constexpr int kSingleReports = 200;  // of a round
constexpr auto kLookEvery = std::chrono::milliseconds(20);
constexpr double kWatchedS = 10;  // of a stage alone

struct Options {
  std::string folder;
  int devices = 50'000;
  int reports = 5'000;  // queued ones of a round
  int nodes = 1;        // that store them
  bool stage_only = false;
  bool json = false;
};

double Seconds(sys::Clock& clock, int64_t since_ns) {
  return static_cast<double>(clock.MonotonicNs() - since_ns) / 1e9;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// `watched_s`: after which the rest of the looks is not waited for.
Result<Json> EnterStage(Fleet& fleet, double watched_s, std::string* release) {
  FERRY_ASSIGN_OR_RETURN(*release, fleet.Create());
  fleet.store->TakeLongest();
  const int64_t begun_ns = fleet.clock.MonotonicNs();
  FERRY_TRY(fleet.rollout->Do(*release, server::command::Start{"bench"}));
  const double entered_s = Seconds(fleet.clock, begun_ns);
  std::vector<double> asked_ms;
  int64_t members = 0;
  while (members < static_cast<int64_t>(fleet.devices.size()) &&
         Seconds(fleet.clock, begun_ns) < watched_s) {
    // A device that asks in between.
    const int64_t asked_ns = fleet.clock.MonotonicNs();
    FERRY_TRY(fleet.rollout->Epoch(fleet.devices[asked_ms.size() % fleet.devices.size()]));
    asked_ms.push_back(1000 * Seconds(fleet.clock, asked_ns));
    std::this_thread::sleep_for(kLookEvery);
    FERRY_ASSIGN_OR_RETURN(members, fleet.Members(*release));
  }
  const TimedStore::Longest longest = fleet.store->TakeLongest();
  return Json{{"devices", fleet.devices.size()},
              {"entered_s", entered_s},
              {"told", members},
              {"all_told_s", Seconds(fleet.clock, begun_ns)},
              {"longest_write_ms", longest.write_ms},
              {"longest_statements_ms", longest.statements_ms},
              {"asked_meanwhile_ms", Median(asked_ms)},
              {"asked_meanwhile_worst_ms", *std::max_element(asked_ms.begin(), asked_ms.end())}};
}

Result<Json> BeginRollback(Fleet& fleet, const std::string& release) {
  fleet.store->TakeLongest();
  const int64_t begun_ns = fleet.clock.MonotonicNs();
  FERRY_TRY(fleet.rollout->Do(release, server::command::Rollback{"bench", "measured"}));
  const double begun_s = Seconds(fleet.clock, begun_ns);
  // Those whose lines are open are told meanwhile.
  std::this_thread::sleep_for(std::chrono::duration<double>(kWatchedS));
  const TimedStore::Longest longest = fleet.store->TakeLongest();
  return Json{{"begun_s", begun_s},
              {"longest_write_ms", longest.write_ms},
              {"longest_statements_ms", longest.statements_ms}};
}

// Reports of devices from `first` on, a second.
Result<double> Queued(Fleet& fleet, const std::string& release, size_t first, int count,
                      uint64_t seq) {
  std::promise<Status> all;
  std::atomic<int> left = count;
  std::mutex mutex;
  Status worst;
  const int64_t begun_ns = fleet.clock.MonotonicNs();
  for (int i = 0; i < count; ++i) {
    const size_t device = (first + static_cast<size_t>(i)) % fleet.devices.size();
    const size_t node = device % (fleet.others.size() + 1);
    server::Rollout& rollout = node == 0 ? *fleet.rollout : *fleet.others[node - 1]->rollout;
    rollout.QueueReport(fleet.ReportOf(device, seq, release), [&](const Status& stored) {
      {
        std::lock_guard lock(mutex);
        if (!stored.ok()) worst = stored;
      }
      if (--left == 0) all.set_value(worst);
    });
  }
  FERRY_TRY(all.get_future().get());
  return count / Seconds(fleet.clock, begun_ns);
}

Result<double> OneByOne(Fleet& fleet, const std::string& release, size_t first, int count,
                        uint64_t seq) {
  const int64_t begun_ns = fleet.clock.MonotonicNs();
  for (int i = 0; i < count; ++i) {
    const size_t device = (first + static_cast<size_t>(i)) % fleet.devices.size();
    FERRY_ASSIGN_OR_RETURN(const bool is_new,
                           fleet.rollout->OnReport(fleet.ReportOf(device, seq, release)));
    if (!is_new) return Status(Code::kInternal, "a report counted as one that was there");
  }
  return count / Seconds(fleet.clock, begun_ns);
}

Result<Json> Reports(Fleet& fleet, const std::string& release, const Options& options) {
  std::vector<double> queued, single, ratio;
  size_t next = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto seq = static_cast<uint64_t>(round + 1);
    FERRY_ASSIGN_OR_RETURN(const double grouped,
                           Queued(fleet, release, next, options.reports, seq));
    next += static_cast<size_t>(options.reports);
    FERRY_ASSIGN_OR_RETURN(const double alone, OneByOne(fleet, release, next, kSingleReports, seq));
    next += kSingleReports;
    queued.push_back(grouped);
    single.push_back(alone);
    ratio.push_back(grouped / alone);
  }
  return Json{{"queued_per_s", Median(queued)},
              {"one_by_one_per_s", Median(single)},
              {"ratio", Median(ratio)}};
}

Result<Json> Measure(const Options& options) {
  if (!options.stage_only && options.devices < options.reports + kSingleReports)
    return Status::Of(Code::kInvalidArgument, "--devices: {} at least, for {} reports of a round",
                      options.reports + kSingleReports, options.reports);
  const std::string place =
      server::IsPostgres(options.folder) ? options.folder : options.folder + "/ferry.db";
  FERRY_ASSIGN_OR_RETURN(const std::unique_ptr<Fleet> fleet,
                         Fleet::Make(place, options.devices, options.nodes));
  std::string release;
  FERRY_ASSIGN_OR_RETURN(Json stage,
                         EnterStage(*fleet, options.stage_only ? kWatchedS : 1e9, &release));
  if (options.stage_only) {
    FERRY_ASSIGN_OR_RETURN(Json back, BeginRollback(*fleet, release));
    return Json{{"stage", std::move(stage)}, {"back", std::move(back)}};
  }
  FERRY_ASSIGN_OR_RETURN(Json reports, Reports(*fleet, release, options));
  return Json{{"stage", std::move(stage)}, {"reports", std::move(reports)}};
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("What a stage of many devices and their reports cost a server.");
  app.add_option("folder", options.folder, "an empty folder for the database, or a database")
      ->required();
  app.add_option("--devices", options.devices, "in the fleet")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--reports", options.reports, "of a round")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--nodes", options.nodes, "that share the store and store what is reported")
      ->check(CLI::Range(1, 16))
      ->capture_default_str();
  app.add_flag("--stage-only", options.stage_only, "a stage and a way back, and no reports");
  app.add_flag("--json", options.json, "print JSON");
  CLI11_PARSE(app, argc, argv);
  const Result<Json> result = Measure(options);
  if (!result.ok()) {
    std::fprintf(stderr, "ferry-rollout-bench: %s\n", result.status().ToString().c_str());
    return 1;
  }
  std::puts(options.json ? WriteJson(*result).c_str() : result->dump(2).c_str());
  return 0;
}

}  // namespace
}  // namespace ferry::bench

int main(int argc, char** argv) {
  return ferry::bench::Main(argc, argv);
}
