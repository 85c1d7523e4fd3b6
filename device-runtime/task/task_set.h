// TaskSet: the tasks of a process. One pool of threads for kernels, one scheduler of turns, and one
// matcher over the triggers of all tasks, so that an event costs what it starts and not what is
// open. An app's own tasks and those that an agent installs are groups of one set.
//
//   task::TaskSet set({.executor = executor, .threads = 0});
//   auto group = set.MakeGroup({.name = "app/", .on_outcome = show});
//   auto host = task::TaskHost::LoadFile(fs, path, set.host_options("app/", outbox));
//   group->Use("digits", "1.0.0", "", std::move(*host));
//   set.Send(std::move(event));
//
// Each task has a lane: what happens to it happens in order, and beside what happens to others.
// Any thread may call anything here, but for what destructors say.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "common/sys/clock.h"
#include "common/sys/executor.h"
#include "device-runtime/task/runner.h"
#include "device-runtime/task/shared_parallel.h"
#include "device-runtime/vm/schedule/scheduler.h"

namespace ferry::event {
struct Event;
}
namespace ferry::store {
class Outbox;
}

namespace ferry::task {

struct HostOptions;
struct HostStats;
struct TaskOutcome;

inline constexpr size_t kMaxWaitingEvents = 10'000;    // that started tasks and are not yet done
inline constexpr size_t kMaxWaitingBytes = 256 << 20;  // of the JSON texts of those
inline constexpr int64_t kAdvanceMs = 1000;            // how often windows may close by time
inline constexpr int64_t kCloseGraceMs = 2000;         // for scripts that run while a group closes

// A version of a package that runs. Immutable: another version or release is another one.
struct RunningTask {
  std::string package;
  std::string version;
  std::string release;              // what its runs are reported to; may be empty
  std::shared_ptr<const void> set;  // pool and scheduler of the runner, which may outlive the set
  std::shared_ptr<PackageRunner> runner;
  int64_t events_before = 0;  // of the set, when it began
  std::shared_ptr<const std::atomic<int64_t>> events;

  // The runner's, with the events that the set was sent since. On the task's lane.
  HostStats stats() const;
};

struct TaskSetOptions {
  // Of the set's timers and ends; never busy for long with own_lanes, else the tasks run on it, one
  // after another. Outlives the set.
  sys::Executor* executor = nullptr;
  sys::Clock* clock = nullptr;  // stamps events that have no time; null: the machine's
  // Of the pool for kernels and the turns of scripts: 1 no pool, 0 one for each processor.
  int threads = 1;
  bool own_lanes = true;  // each task on a thread of its own, where its scripts take turns
};

struct TaskGroupOptions {
  std::string name;  // the owner_prefix of its hosts; no two groups of a set have the same
  // An event that concerns a task before which so many wait is not seen by its trigger; the outcome
  // says kLimitExceeded. Events with a number are seen.
  size_t max_lane_events = kMaxWaitingEvents;
  // Of every start and every refusal, on the task's lane: must not wait. May be empty.
  std::function<void(TaskOutcome outcome, const RunningTask& task)> on_outcome;
};

class TaskGroup;

class TaskSet {
 public:
  explicit TaskSet(const TaskSetOptions& options);
  ~TaskSet();  // after its groups
  TaskSet(const TaskSet&) = delete;
  TaskSet& operator=(const TaskSet&) = delete;

  // The set outlives its groups.
  std::unique_ptr<TaskGroup> MakeGroup(TaskGroupOptions options);
  // What the hosts of a group are loaded with. `outbox` as in HostOptions.
  HostOptions host_options(std::string_view group, store::Outbox* outbox) const;

  // Starts the tasks of all groups whose triggers the event completes. One without time, or dated
  // more than event::kMaxAheadMs ahead, gets the present. kLimitExceeded when kMaxWaitingEvents or
  // kMaxWaitingBytes wait: then no trigger has seen it. `done` is called, on
  // any thread and maybe before Send returns, when all that the event started is durable and all
  // `waits` of its outcomes are gone; never when a run of it did not come to its end. It must not
  // call the set.
  Status Send(event::Event event, std::function<void()> done = nullptr);
  // Events that started tasks which are not done with them.
  size_t waiting() const;
  struct EventStats {
    int64_t sent = 0;
    int64_t waiting = 0;
    int64_t waiting_bytes = 0;
    int64_t future = 0;  // dated too far ahead
  };
  EventStats event_stats() const;
  // An event that was stamped before it comes here was dated too far ahead.
  void CountFuture();

  std::shared_ptr<sys::Parallel> parallel() const;  // null: each thread works alone
  vm::Scheduler* scheduler() const;                 // null without own_lanes

  struct State;  // inside the room

 private:
  std::shared_ptr<State> state_;
};

class TaskGroup {
 public:
  struct Impl;  // inside the room
  explicit TaskGroup(std::shared_ptr<Impl> impl);
  // Ends scripts that run on lanes of their own and waits for them; what waits there is dropped.
  // Not on a lane.
  ~TaskGroup();

  // Runs `work` beside the tasks, after what was given here before: loading and probing. On a
  // thread of its own where tasks have lanes of their own.
  void Prepare(sys::Task work);
  // From the next event on `runner` runs for this package, with a trigger that has seen nothing;
  // the one before ends with the events it has, and is closed. kLimitExceeded past
  // trigger::kMaxTriggers: then the one before goes on.
  Status Use(const std::string& package, const std::string& version, const std::string& release,
             std::shared_ptr<PackageRunner> runner);
  // What the package's runs are reported to from the next event on.
  void SetRelease(const std::string& package, const std::string& release);
  // Events start the package's task no more. Closes its runner after what it has been given and
  // lets it go, then calls `done` on the set's executor, also when nothing runs for the package. As
  // in Close, a script that still runs after kCloseGraceMs is cancelled.
  void Remove(const std::string& package, sys::Task done);
  // What runs for a package; null: nothing.
  std::shared_ptr<const RunningTask> Find(const std::string& package) const;
  // Runs `work` on the package's lane; false when nothing runs for it.
  bool Run(const std::string& package, std::function<void(const RunningTask&)> work);
  // Runs `body` on the lane of every task, then `done` on one of them or here.
  void Each(std::function<void(const RunningTask&)> body, sys::Task done);
  // Calls `done`, on a lane or here, when every task is done with what it was given before; those
  // that are idle are not woken.
  void WhenDone(sys::Task done);
  // Events start its tasks no more. Closes all runners after what they have been given (open
  // windows go to the outbox) and lets them go, then calls `done` on the set's executor. Where
  // scripts take turns, those that still run after kCloseGraceMs are cancelled.
  void Close(sys::Task done);

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace ferry::task
