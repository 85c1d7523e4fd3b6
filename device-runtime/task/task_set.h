// TaskSet: the tasks of a process. One pool of threads for kernels, one scheduler of turns, and one
// flow of events a group over the triggers, rules and streams of all its tasks, so that an event
// costs what it starts and not what is open. An app's own tasks and those that an agent installs
// are groups of one set.
//
//   task::TaskSet set({.executor = executor, .threads = 0});
//   auto group = set.MakeGroup({.name = "app/", .outbox = outbox, .on_outcome = show});
//   auto host = task::TaskHost::LoadFile(fs, path, set.host_options("app/"));
//   group->Use("digits", "1.0.0", "", std::move(*host));
//   set.Send(std::move(event));
//
// Each task has a lane: what happens to it happens in order, and beside what happens to others.
// Events are given to rules and streams in the order in which they are sent, on a thread of the
// set's. A group with an outbox loses and doubles nothing: what an event and the runs that it
// started left behind commits together with the state of rules, streams and tables and, for events
// with a number, with the position in their log; begun runs are done again after a kill. Any thread
// may call anything here, but for what destructors say.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/json_fwd.h"
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
struct ErasedCounts;
}  // namespace ferry::store
namespace ferry::table {
class Tables;
}

namespace ferry::task {

struct HostOptions;
struct HostStats;
struct TaskOutcome;

inline constexpr size_t kMaxWaitingEvents = 10'000;    // that are not yet done
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
  std::function<void(HostStats*)> add_flow;  // what the group counts of the package

  // The runner's, with the events that the set was sent since, and streams and rules. Any thread,
  // with no lock of the set.
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
  bool polite = false;    // these threads, and that of events, are StartPoliteExecutor's
  // Makes the events of the log up to a number durable; asked for before what came of them is
  // committed. Empty: those with numbers are durable when they are sent.
  std::function<Status(uint64_t number)> make_durable;
};

struct TaskGroupOptions {
  std::string name;  // the owner_prefix of its hosts; no two groups of a set have the same
  // Rows for the tunnel, and all state; null: nothing is durable. Outlives the group, which is the
  // only one with it. Its log (OpenLog) is that of the numbers of events.
  store::Outbox* outbox = nullptr;
  // An event that concerns a task before which so many wait is not seen by its trigger; the outcome
  // says kLimitExceeded. Events with a number are seen.
  size_t max_lane_events = kMaxWaitingEvents;
  // Outcomes have what the runner counted when their run ended (TaskOutcome::stats).
  bool with_stats = false;
  // Of every start and every refusal, and of rows and matches for the app, when what they left is
  // durable; on a thread of the set's, one at a time: must not wait. May be empty.
  std::function<void(TaskOutcome outcome, const RunningTask& task)> on_outcome;
  // Rows for the tunnel are in the outbox, with `realtime` some of streams with "upload":
  // "realtime". As on_outcome.
  std::function<void(bool realtime)> on_rows;
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
  // What the hosts of a group, which was made, are loaded with.
  HostOptions host_options(std::string_view group) const;

  // Gives the event to the rules and streams of all groups. One without time, or dated more than
  // event::kMaxAheadMs ahead, gets the present. kLimitExceeded when kMaxWaitingEvents or
  // kMaxWaitingBytes wait: then nobody sees it. An event with a number that a group's outbox has
  // worked off already is not given to that group. `done` is called, never by this call, when all
  // that the event started is durable and all `waits` of its outcomes are gone; never when a run of
  // it did not come to its end. It must not call the set.
  Status Send(event::Event event, std::function<void()> done = nullptr);
  // Events that were not given to tasks, or started tasks which are not done with them.
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
  std::unique_ptr<sys::Executor> pump_;  // null: the options' executor
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
  // From the next event on `runner` runs for this package; the one before ends with the starts it
  // has. Rules and streams that stay as they were go on from their state, the others begin anew.
  // Functions that a killed process had begun are run again. kLimitExceeded past
  // trigger::kMaxTriggers or rule::kMaxRules, and errors of tables: then the one before goes on.
  Status Use(const std::string& package, const std::string& version, const std::string& release,
             std::shared_ptr<PackageRunner> runner);
  // Runs a function of the package's script with this argument, behind what the events that the set
  // was sent before have started; its outcome has the number `call`, which is not 0. A call is not
  // kept over the end of the process. kNotFound: nothing runs for the package. kLimitExceeded:
  // max_lane_events wait before it. A function that is not there is the outcome's error.
  Status Call(const std::string& package, const std::string& function, Json argument,
              uint64_t call);
  // What the package's runs are reported to from the next event on.
  void SetRelease(const std::string& package, const std::string& release);
  // Events start the package's task no more, and its state goes. Lets its runner go after what it
  // has been given, then calls `done` on the set's executor, also when nothing runs for the
  // package. As in Close, a script that still runs after kCloseGraceMs is cancelled.
  void Remove(const std::string& package, sys::Task done);
  // What runs for a package; null: nothing.
  std::shared_ptr<const RunningTask> Find(const std::string& package) const;
  // Runs `work` on the package's lane; false when nothing runs for it.
  bool Run(const std::string& package, std::function<void(const RunningTask&)> work);
  // Runs `body` on the lane of every task, then `done` on one of them or here.
  void Each(std::function<void(const RunningTask&)> body, sys::Task done);
  // Calls `done`, on a thread of the set's, when every task is done with what was sent before, and
  // what came of it was committed and handed on; those that are idle are not woken.
  void WhenDone(sys::Task done);
  // The tables of the group's tasks, for the app.
  table::Tables* tables() const;
  // What is known of who uses the device goes: half-matched rules, windows, rows of tables and
  // those that wait for the cloud, runs that began, what scripts keep in their variables, and what
  // the outbox holds of all that. Scripts that run are cancelled, and nobody hears of their runs;
  // tables that packages fill are filled again. The log of events counts as worked off up to
  // `position`. Errors are the disk's: then all is to be done again. Not on a lane.
  Result<store::ErasedCounts> Erase(uint64_t position);
  // Events start its tasks no more. Lets all runners go after what they have been given, commits
  // (open windows and half-matched rules stay in the state), then calls `done` on the set's
  // executor. Where scripts take turns, those that still run after kCloseGraceMs are cancelled:
  // they run again in the next process.
  void Close(sys::Task done);

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace ferry::task
