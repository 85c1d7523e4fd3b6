// ferry stream run: recorded events through rules and streams.
#include <sys/resource.h>

#include "common/base/json.h"
#include "tools/ferry/stream/definition_file.h"
#include "tools/ferry/stream/run/stream_run.h"
#include "tools/ferry/stream/subcommands.h"

namespace ferry::cli {
namespace {

constexpr char kRunWhat[] =
    "take recorded events through rules and streams, with a state that outlives kills\n\n"
    "Events: a JSON object {\"id\",\"page\",\"time_ms\",\"data\"} a line. The same call again goes "
    "on behind the lines\nthat were taken: of the same file, or of one that begins as it did and "
    "has grown; another file's lines\nfollow as further events. A kill or a power cut at any "
    "moment changes nothing of the output.\nTime is event time only: an event without time_ms has "
    "the latest time so far, and one that is dated more\nthan --max-ahead-ms after all before it, "
    "where most of the next 8 lines are not, gets that time too.\nWindows that are open at the end "
    "stay open in DIR for the next call; --flush closes them.\nA line that is no event, or too "
    "large, is dropped and named in the output; the rest goes on. A full disk\nends the run; the "
    "same call goes on from there.";

struct StreamRunRequest {
  StreamRunOptions run;
  std::string rules, streams;
};

uint64_t PeakRunBytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

// What was lost by stated rule, of all rules and streams.
Json LossesJson(const flow::OwnerStats& stats) {
  int64_t late = 0, refused = 0, errors = 0, resets = 0;
  uint64_t runs = 0, keys = 0;
  for (const graph::StreamStats& stream : stats.streams) {
    late += stream.late;
    refused += stream.refused;
    errors += stream.errors;
    resets += stream.state_reset;
  }
  for (const flow::RuleCounts& rule : stats.rules) {
    runs += rule.stats.dropped_runs;
    keys += rule.stats.dropped_keys;
    resets += static_cast<int64_t>(rule.stats.state_reset);
  }
  return {{"late", late},
          {"refused", refused},
          {"errors", errors},
          {"dropped_runs", runs},
          {"dropped_keys", keys},
          {"state_reset", resets},
          {"cascades", stats.cascades},
          {"table_errors", stats.table_errors}};
}

Result<Output> RunStream(const StreamRunRequest& request) {
  FERRY_ASSIGN_OR_RETURN(flow::Definition definition,
                         ReadDefinition(request.rules, request.streams));
  FERRY_ASSIGN_OR_RETURN(const auto run,
                         StreamRun::Open(request.run, std::make_shared<const flow::Definition>(
                                                          std::move(definition))));
  FERRY_TRY(run->Run());
  const StreamRunCounts& counts = run->counts();
  const double per_s =
      counts.processor_s > 0 ? static_cast<double>(counts.events) / counts.processor_s : 0;
  const log::LogStats log = run->log_stats();
  Output out;
  out.json() = {{"events", counts.events},
                {"matches", counts.matches},
                {"rows", counts.rows},
                {"drops", counts.drops},
                {"events_per_s", per_s},
                {"peak_bytes", PeakRunBytes()},
                {"lines", run->state().lines},
                {"skipped", counts.skipped},
                {"future", counts.future},
                {"uploads", counts.uploads},
                {"waiting", run->outbox_stats().waiting},
                {"lost", LossesJson(run->stats())}};
  if (log.damaged_blocks + log.damaged_segments + log.missing_events > 0)
    out.json()["log"] = {{"damaged_blocks", log.damaged_blocks},
                         {"damaged_segments", log.damaged_segments},
                         {"missing_events", log.missing_events}};
  out.text = fmt::format(
      "{} events ({} lines were taken before), {} matches, {} rows, {} drops\n"
      "{:.0f} events a second of processor time, {:.1f} MB of memory at most\n",
      counts.events, counts.skipped, counts.matches, counts.rows, counts.drops, per_s,
      static_cast<double>(PeakRunBytes()) / 1e6);
  if (counts.future > 0) out.text += fmt::format("{} events were dated far ahead\n", counts.future);
  if (out.json().contains("log"))
    out.text += fmt::format("the log is damaged: {}\n", WriteJson(out.json()["log"]));
  return out;
}

}  // namespace

void AddStreamRun(Commands& commands, CLI::App* stream) {
  const auto request = std::make_shared<StreamRunRequest>();
  CLI::App* command =
      commands.Add(stream, "run", kRunWhat,
                   "ferry stream run --rules rules.txt --streams streams.json --events day.jsonl "
                   "--state state --out out.jsonl",
                   [request](const GlobalOptions&) { return RunStream(*request); });
  command->add_option("--rules", request->rules,
                      "{\"rules\":[..]}, a list of rules, or their text");
  command->add_option("--streams", request->streams,
                      "a list of streams as in task.json, or {\"streams\":[..],\"tables\":[..]}");
  command->add_option("--events", request->run.events, "an event a line; - is standard input")
      ->required();
  command->add_option("--state", request->run.state, "directory that keeps the state")->required();
  command->add_option("--out", request->run.out, "file for matches, rows and drops, one a line")
      ->required();
  command->add_flag("--flush", request->run.flush, "close all windows at the end");
  command->add_option("--max-ahead-ms", request->run.max_ahead_ms,
                      "how far ahead of all before it an event may be dated (24 h); 0: any");
}

}  // namespace ferry::cli
