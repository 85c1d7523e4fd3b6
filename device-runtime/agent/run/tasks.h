// The packages that run, away from the agent's executor, so that a long script delays no network
// and no install delays a script. Source: own.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "common/sys/executor.h"
#include "device-runtime/agent/alive.h"
#include "device-runtime/agent/run/runner.h"
#include "device-runtime/task/lane.h"
#include "device-runtime/vm/schedule/scheduler.h"

namespace ferry::agent {

inline constexpr int64_t kAdvanceMs = 1000;         // how often windows may close by time
inline constexpr size_t kMaxQueuedEvents = 10'000;  // waiting for the tasks; more are dropped
inline constexpr size_t kMaxLaneEvents = 1'000;     // waiting for one task that has a thread
inline constexpr int64_t kCloseGraceMs = 2'000;     // for scripts that run while all closes

// What one event led to in one package.
struct TaskOutcome {
  std::string package;
  std::string version;
  std::string release;
  task::EventOutcome outcome;
};

struct InstalledModel {
  std::shared_ptr<const llm::Model> model;  // keeps its file open, whatever is installed later
  std::string package;
  std::string version;
};

// Where tasks run beside each other: each on a thread of its own, when it has its turn. With
// neither they run one after another on the worker.
struct TaskThreads {
  std::function<std::unique_ptr<sys::Executor>()> start;
  vm::Scheduler* scheduler = nullptr;  // that the loader's hosts ask; outlives the runners
};

// All calls, and `on_outcome`, on `home`; runners live on `worker` or their own threads. Both
// outlive this.
class Tasks {
 public:
  using OnOutcome = std::function<void(const TaskOutcome&)>;
  using OnPrepared = std::function<void(Result<std::shared_ptr<PackageRunner>>)>;

  Tasks(sys::Executor& home, sys::Executor& worker, RunnerLoader loader, OnOutcome on_outcome,
        TaskThreads threads = {});
  ~Tasks();

  // Loads the package file and, with `probe`, runs its probe; nothing of it is used yet.
  void Prepare(const std::string& path, bool probe, OnPrepared done);
  // From the next event on `runner` runs for this package; the one before is closed.
  void Use(const std::string& package, const std::string& version, const std::string& release,
           std::shared_ptr<PackageRunner> runner);
  // What the package's runs are reported to from the next event on.
  void SetRelease(const std::string& package, const std::string& release);
  // To all packages. kLimitExceeded past kMaxQueuedEvents; the outcome of a package that has
  // kMaxLaneEvents before it says the same.
  Status Deliver(const event::Event& event);
  // A language model of an installed package with the package's version, to `done` on `home`.
  // kNotFound names the package or the model.
  using OnModel = std::function<void(Result<InstalledModel>)>;
  void FindModel(const std::string& package, const std::string& model, OnModel done);
  // Closes all runners (open windows go to the outbox), then calls `done` on `home`. With a
  // scheduler, scripts that still run after kCloseGraceMs are cancelled.
  void Close(std::function<void()> done);

  struct Summary {
    std::string version;
    std::string release;
    task::HostStats stats;   // of the version that runs, as of its last firing
    int64_t inferences = 0;  // these two of all versions since the process started
    int64_t task_errors = 0;
  };
  // By package.
  const std::map<std::string, Summary>& summaries() const { return summaries_; }
  size_t queued() const { return queued_; }

 private:
  struct Entry {
    std::string version;
    std::string release;
    std::shared_ptr<PackageRunner> runner;
    std::unique_ptr<task::Lane> lane;
  };
  struct Work {  // touched on the worker only
    std::map<std::string, Entry> entries;
    std::unique_ptr<task::Lane> preparing;
  };
  void ScheduleAdvance();
  void CancelAll();
  void TakeStats(const std::string& package, const task::HostStats& stats);

  sys::Executor& home_;
  sys::Executor& worker_;
  RunnerLoader loader_;
  OnOutcome on_outcome_;
  TaskThreads threads_;
  std::shared_ptr<Work> work_ = std::make_shared<Work>();
  std::map<std::string, Summary> summaries_;
  size_t queued_ = 0;
  sys::Executor::TimerId advance_ = 0;
  Alive alive_;
};

}  // namespace ferry::agent
