// One installed package, running: reader -> isolate + engine. The agent, `ferry-device simulate`,
// `ferry run` and the SDK's local-only mode all run tasks through this.
//
// Life: Load, then Probe before it is trusted, then Run for everything that a TaskSet says, or, for
// a task by itself, OnEvent for every event and Close at the end. One thread at a time; hosts are
// independent. A script that raises or passes a limit costs one error: the host makes a new isolate
// where that is needed and lives on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "common/sys/clock.h"
#include "common/sys/executor.h"
#include "common/sys/filesystem.h"
#include "device-runtime/task/files/exclusive_files.h"
#include "device-runtime/task/runner.h"
#include "device-runtime/vm/schedule/scheduler.h"
#include "pipeline/store/outbox.h"

namespace ferry::event {
struct Event;
}
namespace ferry::package {
class Package;
}

namespace ferry::task {

// What the host needs from outside; all outlive it. Copies are cheap.
struct HostOptions {
  sys::Clock* clock = nullptr;  // null: the machine's
  // For kernels; null: the calling thread alone. Hosts on several threads share a SharedParallel.
  sys::Parallel* parallel = nullptr;
  // Of a task by itself: rows with "upload": true; null: they are only counted.
  store::Outbox* outbox = nullptr;
  table::Tables* tables = nullptr;     // of a set: what scripts read and write; null: nothing
  vm::Scheduler* scheduler = nullptr;  // of turns among tasks, on `clock`; null: nobody waits
  // Before the package's name it is the name that the scheduler knows the task's owner by, so that
  // sets of tasks may hold packages of one name.
  std::string owner_prefix;
  // What scripts read beside the files of the package; null: nothing.
  std::shared_ptr<const ExclusiveFiles> exclusive;
  // Of a task by itself: keeps what streams put out in EventOutcome::rows.
  bool collect_rows = false;
  // What scripts print, as they do: many lines or parts of one; null: the log.
  std::function<void(std::string_view)> print;
  bool alone = true;  // false: in a set, which has the task's rules and streams
};

struct SimulationOptions {
  // Whose recorded cases are run; null: the package's own.
  std::shared_ptr<const package::Package> cases_of;
  bool outputs = false;
  // For whoever writes the script: "details" of the first kMaxDetailedCases.
  bool details = false;
  std::function<std::string()> take_printed = nullptr;  // what was printed since the last call
};
inline constexpr size_t kMaxDetailedCases = 100;
inline constexpr size_t kMaxDetailBytes = 64 << 10;        // of one result, error or printed text
inline constexpr size_t kMaxCaseOutputBytes = 1024;        // of one case's output
inline constexpr size_t kMaxCaseOutputsBytes = 512 << 10;  // of all names and outputs of a report

class TaskHost : public PackageRunner {
 public:
  // Reads the manifest's task, loads models, compiles the script and its modules, runs the script's
  // top level and finds the entry. Errors name package, file and line; the file hashes of what is
  // used are checked. A package of content "model" has no task: kInvalidArgument.
  static Result<std::unique_ptr<TaskHost>> Load(std::shared_ptr<const package::Package> package,
                                                const HostOptions& options);
  static Result<std::unique_ptr<TaskHost>> LoadFile(sys::FileSystem& fs, const std::string& path,
                                                    const HostOptions& options);
  ~TaskHost() override;

  const std::string& name() const;
  const std::string& version() const;

  std::shared_ptr<const flow::Definition> definition() const override;
  EventOutcome Run(const flow::Start& start) override;
  Status FillTables(store::Outbox& outbox) override;
  void Forget() override;

  // Of a task by itself: all that the event leads to. The outcome is that of the function that ran
  // last; rows, and the first error of a stream, are those of all. Never fails as a whole:
  // outcome.error says what went wrong, the task goes on with the next event. An event without time
  // is stamped with the clock.
  EventOutcome OnEvent(event::Event event);
  // Lets windows close by time.
  void Advance();
  // Closes all windows and hands their rows to the outbox.
  void Close();

  // The manifest's probe ({"cases": file, "count": n} or {"events": [..], "expect": ..}) in a fresh
  // copy of the task whose rows go nowhere. kProbeFailed names the case and what differs. Without
  // a probe, loading was the probe.
  Status Probe() override;
  // Runs all simulation cases in such a copy. {"package":..,"version":..,"passed":bool,"cases":n,
  // "failed":n,"failures":[{"case":name,"error":text}, ..],"first_failure":{"name","text"}?,
  // "p50_ms":..,"p99_ms":..}. A package without cases, or with none in the file, does not pass.
  // Asked for outputs, it adds "outputs":[{"case","output","tolerance"?}, ..] in the order of the
  // cases, an output being the result's JSON, "sha256:.." of one that is longer than
  // kMaxCaseOutputBytes, or "error: <name of the code>"; "outputs_left_out" counts those past
  // kMaxCaseOutputsBytes. Asked for details, it adds "details":[{"case","passed","started",
  // "result"?,"error"?: why the case failed,"printed","ms"}, ..]: of what ran last; texts that are
  // too long end with "...".
  Json Simulate(const SimulationOptions& options = {});

  // The language model that task.json calls `name`, for sessions of the app beside the task. Keeps
  // the package's file open, also when the host is gone. kNotFound.
  // Any thread may ask: the program is one for all copies and knows its models from the start.
  Result<std::shared_ptr<const llm::Model>> LanguageModel(std::string_view name) override;

  Result<Bytes> ReadFile(std::string_view name) override;

  // `events` counts those of OnEvent; rows, streams and rules are those of a task by itself.
  HostStats stats() const override;

 private:
  struct Impl;
  explicit TaskHost(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Whether `got` is what a case expects: objects must have every expected member (more are ok),
// arrays are compared item by item, numbers may differ by `tolerance` (absolute), all else is
// equal. The error names the place: "digit: expected 2, got 3".
Status CompareExpected(const Json& expected, const Json& got, double tolerance);

}  // namespace ferry::task
