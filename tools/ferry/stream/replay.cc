// ferry stream replay: a task over recorded events, in their own time.
#include <algorithm>

#include "common/base/json.h"
#include "common/sys/filesystem.h"
#include "device-runtime/task/rehearse/rehearsal.h"
#include "tools/ferry/stream/definition_file.h"
#include "tools/ferry/stream/run/event_source.h"
#include "tools/ferry/stream/run/output_line.h"
#include "tools/ferry/stream/subcommands.h"
#include "tools/ferry/task/packed.h"

namespace ferry::cli {
namespace {

struct ReplayRequest {
  std::string path, out;
  std::vector<std::string> tasks;  // beside
  EventPlace place;
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
  static Result<std::unique_ptr<TaskReplay>> Make(const PackedTask& packed,
                                                  const std::vector<std::string>& beside) {
    auto replay = std::make_unique<TaskReplay>();
    FERRY_ASSIGN_OR_RETURN(const auto program, packed.Load());
    FERRY_ASSIGN_OR_RETURN(
        replay->instance_,
        task::Instance::Create(program, {&replay->clock_, nullptr, nullptr, "replay", nullptr}));
    FERRY_ASSIGN_OR_RETURN(replay->rehearsal_,
                           task::Rehearsal::Create(program, replay->instance_.get()));
    for (const std::string& path : beside) {
      FERRY_ASSIGN_OR_RETURN(const NamedTask task, ReadNamedTask(path));
      FERRY_TRY(replay->rehearsal_->Add(task.name, task.definition).Context("{}", path));
    }
    return replay;
  }

  void Take(const std::shared_ptr<const event::Event>& event) {
    ++counts.events;
    clock_.now_ms = std::max(clock_.now_ms, event->time_ms);
    Write(rehearsal_->OnEvent(event), event->number);
  }
  void Finish() { Write(rehearsal_->End(), counts.events); }

  ReplayCounts counts;
  std::string text;

 private:
  void Write(const task::Rehearsal::Happened& happened, uint64_t line) {
    for (const flow::LeavingMatch& match : happened.matches) {
      if (!match.owner.empty()) continue;  // of a task beside this one
      ++counts.matches;
      AppendMatch(
          match, [](uint64_t number) { return std::optional(number); }, &text);
    }
    for (const task::Rehearsal::FunctionRun& ran : happened.runs) WriteResult(ran, line);
    for (const flow::LeavingRow& row : happened.rows) {
      if (!row.owner.empty()) continue;
      ++counts.rows;
      AppendRow(row, WriteJson(row.output.row.fields), &text);
    }
    if (!happened.error.ok()) AppendDrop(line, happened.error, &text);
  }

  void WriteResult(const task::Rehearsal::FunctionRun& ran, uint64_t line) {
    Json json = {{"kind", "result"}, {"line", line}, {"function", ran.function}};
    if (ran.outcome.error.ok()) {
      ++counts.results;
      json["result"] = ran.outcome.result;
    } else {
      ++counts.errors;
      json["error"] = ran.outcome.error.ToString();
    }
    text += WriteJson(json) + "\n";
  }

  ReplayClock clock_;
  std::unique_ptr<task::Instance> instance_;
  std::unique_ptr<task::Rehearsal> rehearsal_;
};

Result<Output> ReplayEvents(const ReplayRequest& request) {
  FERRY_ASSIGN_OR_RETURN(const PackedTask packed, PackedTask::Make(request.path));
  FERRY_ASSIGN_OR_RETURN(const auto replay, TaskReplay::Make(packed, request.tasks));
  FERRY_TRY(ForEachEvent(request.place, [&](auto event) {
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
  command->add_option("--with", request->tasks,
                      "another task's folder or package, whose streams rules name TASK/STREAM");
  AddEventPlace(command, &request->place);
  command->add_option("--out", request->out, "file for results, rows and matches, one a line");
}

}  // namespace ferry::cli
