// ferry stream replay: a task over recorded events, in their own time.
#include <algorithm>

#include "common/base/json.h"
#include "common/sys/filesystem.h"
#include "common/sys/random.h"
#include "device-runtime/task/host.h"
#include "device-runtime/task/outcome.h"
#include "pipeline/flow/flow.h"
#include "pipeline/store/outbox.h"
#include "tools/ferry/progress.h"
#include "tools/ferry/standard_streams.h"
#include "tools/ferry/stream/definition_file.h"
#include "tools/ferry/stream/run/event_source.h"
#include "tools/ferry/stream/run/output_line.h"
#include "tools/ferry/stream/subcommands.h"
#include "tools/ferry/task/packed.h"

namespace ferry::cli {
namespace {

struct ReplayRequest {
  std::string path, events, state, out;
};

// Shows the time of the events.
class ReplayClock : public sys::Clock {
 public:
  int64_t NowUnixMs() const override { return now_ms; }
  int64_t MonotonicNs() const override { return now_ms * 1'000'000; }
  int64_t now_ms = 0;
};

struct ReplayCounts {
  uint64_t events = 0, results = 0, errors = 0, rows = 0, matches = 0;
};

class TaskReplay {
 public:
  static Result<std::unique_ptr<TaskReplay>> Make(const PackedTask& packed) {
    auto replay = std::make_unique<TaskReplay>();
    FERRY_ASSIGN_OR_RETURN(const auto program, packed.Load());
    FERRY_ASSIGN_OR_RETURN(replay->outbox_, store::OpenOutbox(":memory:", sys::SystemRandom()));
    flow::FlowOptions options;
    options.tables = &replay->outbox_->tables();
    options.all_rows = options.all_matches = true;
    replay->flow_ = std::make_unique<flow::Flow>(options);
    FERRY_TRY(replay->flow_->Use("", program->spec.flow));
    task::HostOptions host;
    host.clock = &replay->clock_;
    host.collect_rows = true;
    FERRY_ASSIGN_OR_RETURN(replay->host_,
                           task::TaskHost::LoadFile(sys::SystemFileSystem(), packed.file(), host));
    return replay;
  }

  void Take(const std::shared_ptr<const event::Event>& event) {
    ++counts.events;
    clock_.now_ms = std::max(clock_.now_ms, event->time_ms);
    effects_.Clear();
    if (flow_->next_tick_ms() <= clock_.now_ms) flow_->Advance(clock_.now_ms, 0, &effects_);
    flow_->OnEvent(event, clock_.now_ms, 0, &effects_);
    WriteEffects();
    host_->Advance();
    const task::EventOutcome outcome = host_->OnEvent(*event);
    if (outcome.fired || !outcome.error.ok()) WriteResult(event->number, outcome);
    for (const graph::Output& output : outcome.rows) WriteRow({"", output});
  }

  void Finish() {
    effects_.Clear();
    flow_->Flush(&effects_);
    WriteEffects();
    host_->Close();
  }

  ReplayCounts counts;
  std::string text;

 private:
  void WriteRow(const flow::LeavingRow& row) {
    ++counts.rows;
    AppendRow(row, WriteJson(row.output.row.fields), &text);
  }

  void WriteEffects() {
    ForEachEffect(
        effects_, [this](const flow::LeavingRow& row) { WriteRow(row); },
        [this](const flow::LeavingMatch& match) {
          ++counts.matches;
          AppendMatch(
              match, [](uint64_t number) { return std::optional(number); }, &text);
        });
  }

  void WriteResult(uint64_t line, const task::EventOutcome& outcome) {
    Json json = {{"kind", "result"}, {"line", line}};
    if (outcome.error.ok()) {
      ++counts.results;
      json["result"] = outcome.result;
    } else {
      ++counts.errors;
      json["error"] = outcome.error.ToString();
    }
    text += WriteJson(json) + "\n";
  }

  ReplayClock clock_;
  std::unique_ptr<store::Outbox> outbox_;
  std::unique_ptr<flow::Flow> flow_;
  std::unique_ptr<task::TaskHost> host_;
  flow::Effects effects_;
};

Result<Output> ReplayEvents(const ReplayRequest& request) {
  FERRY_ASSIGN_OR_RETURN(const PackedTask packed, PackedTask::Make(request.path));
  FERRY_ASSIGN_OR_RETURN(const auto replay, TaskReplay::Make(packed));
  FERRY_TRY(ForEachEvent(request.events, request.state, [&](auto event) {
    replay->Take(event);
    return true;
  }));
  replay->Finish();
  const ReplayCounts& counts = replay->counts;
  Output out;
  out.json() = {{"events", counts.events},
                {"results", counts.results},
                {"errors", counts.errors},
                {"rows", counts.rows},
                {"matches", counts.matches}};
  const std::string summary =
      fmt::format("{} events, {} results, {} errors, {} rows, {} matches\n", counts.events,
                  counts.results, counts.errors, counts.rows, counts.matches);
  if (request.out.empty()) {
    out.text = replay->text + summary;
    Json lines = Json::array();
    for (std::string_view rest = replay->text; !rest.empty();) {
      const size_t end = rest.find('\n');
      FERRY_ASSIGN_OR_RETURN(Json line, ParseJson(rest.substr(0, end)));
      lines.push_back(std::move(line));
      rest.remove_prefix(end + 1);
    }
    out.json()["lines"] = std::move(lines);
    return out;
  }
  FERRY_TRY(sys::WriteFileAtomically(sys::SystemFileSystem(), request.out, AsBytes(replay->text)));
  out.text = summary;
  return out;
}

}  // namespace

void AddStreamReplay(Commands& commands, CLI::App* stream) {
  const auto request = std::make_shared<ReplayRequest>();
  CLI::App* command = commands.Add(
      stream, "replay",
      "run a task over recorded events in their own time: results of its script, rows of its "
      "streams, matches of its rules\n\nThe task's clock shows the latest time of the events. All "
      "windows close at the end.",
      "ferry stream replay tasks/digits --events day.jsonl",
      [request](const GlobalOptions&) { return ReplayEvents(*request); });
  command->add_option("path", request->path, "a task's folder or package")->required();
  CLI::Option* events = command->add_option("--events", request->events, "an event a line");
  command->add_option("--state", request->state, "instead: the log of a state directory")
      ->excludes(events);
  command->add_option("--out", request->out, "file for results, rows and matches, one a line");
}

}  // namespace ferry::cli
