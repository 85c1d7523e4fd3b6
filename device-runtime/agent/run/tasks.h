// The packages that the agent runs: its group of the process's task set, seen from the agent's
// executor, so that a long script delays no network and no install delays a script.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "common/sys/executor.h"
#include "device-runtime/agent/alive.h"
#include "device-runtime/agent/run/runner.h"
#include "device-runtime/task/task_set.h"
#include "pipeline/store/erasure.h"

namespace ferry::agent {

inline constexpr size_t kMaxLaneEvents = 1'000;  // waiting for one package

struct InstalledModel {
  std::shared_ptr<const llm::Model> model;  // keeps its file open, whatever is installed later
  std::string package;
  std::string version;
};

// All calls, and `on_outcome` and `on_rows`, on `home`. It and the set outlive this.
class Tasks {
 public:
  using OnOutcome = std::function<void(const TaskOutcome&)>;
  using OnPrepared = std::function<void(Result<std::shared_ptr<PackageRunner>>)>;

  // `outbox` keeps the tasks' rows and state; null: nothing is durable. `on_rows`: rows for the
  // tunnel are there, and whether some should not wait; may be empty.
  Tasks(sys::Executor& home, task::TaskSet& set, RunnerLoader loader, store::Outbox* outbox,
        OnOutcome on_outcome, std::function<void(bool realtime)> on_rows = nullptr);

  // Loads the package file with the device's own `files` and, with `probe`, runs its probe; nothing
  // of it is used yet.
  void Prepare(const std::string& path, const task::OwnDirectories& files, bool probe,
               OnPrepared done);
  // Runs `work` where packages are prepared, after what was given there before, and hands what
  // comes of it to `done`: what takes long holds up neither tasks nor the line.
  void Aside(std::function<Status()> work, std::function<void(const Status&)> done);
  // From the next event on `runner` runs for this package. After an error, as TaskGroup::Use, what
  // ran before goes on.
  Status Use(const std::string& package, const std::string& version, const std::string& release,
             std::shared_ptr<PackageRunner> runner);
  // The package runs no more; `done` when its runner is gone.
  void Remove(const std::string& package, std::function<void()> done);
  // What the package's runs are reported to from the next event on.
  void SetRelease(const std::string& package, const std::string& release);
  // To all tasks of the set. kLimitExceeded past task::kMaxWaitingEvents; the outcome of a package
  // that has kMaxLaneEvents before it says the same. `done` as in task::TaskSet::Send.
  Status Deliver(event::Event event, std::function<void()> done);
  // As task::TaskGroup::Call; any thread.
  Status Call(const std::string& package, const std::string& function, Json argument,
              uint64_t call);
  // A language model of an installed package with the package's version, to `done` on `home`.
  // kNotFound names the package or the model.
  using OnModel = std::function<void(Result<InstalledModel>)>;
  void FindModel(const std::string& package, const std::string& model, OnModel done);
  // A file that an installed package's task can read, to `done` on `home`; kNotFound names the
  // package or the file.
  void ReadFile(const std::string& package, const std::string& name,
                std::function<void(Result<Bytes>)> done);
  // As task::TaskGroup::Erase.
  Result<store::ErasedCounts> Erase(uint64_t position);
  // Lets all runners go and commits, then calls `done` on `home`. Where scripts
  // take turns, those that still run after task::kCloseGraceMs are cancelled.
  void Close(std::function<void()> done);

  struct Summary {
    std::string version;
    std::string release;
    // Of the version that runs, as of its last firing; null before that.
    std::shared_ptr<const task::HostStats> stats;
    int64_t inferences = 0;  // these two of all versions since the process started
    int64_t task_errors = 0;
  };
  // By package.
  const std::map<std::string, Summary>& summaries() const { return summaries_; }
  size_t queued() const { return set_.waiting(); }
  // What the package counts now, streams and rules too; nothing when it does not run.
  std::optional<task::HostStats> StatsNow(const std::string& package) const;

 private:
  void TakeStats(const std::string& package, const task::HostStats& stats);

  sys::Executor& home_;
  task::TaskSet& set_;
  RunnerLoader loader_;
  std::map<std::string, Summary> summaries_;
  Alive alive_;
  std::unique_ptr<task::TaskGroup> group_;  // last: its tasks end before the rest
};

}  // namespace ferry::agent
