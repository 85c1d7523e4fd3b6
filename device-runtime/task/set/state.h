// The inside of TaskSet and TaskGroup, for their files only.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "device-runtime/task/set/group_flow.h"
#include "device-runtime/task/set/lane.h"
#include "device-runtime/task/task_set.h"

namespace ferry::task {

// A package's place in a group: its lane stays while its versions change. Guarded by the set's
// mutex.
struct TaskEntry {
  std::shared_ptr<const TaskGroupOptions> options;  // of its group
  std::shared_ptr<const RunningTask> now;
  std::unique_ptr<Lane> lane;
  sys::Executor::TimerId grace = 0;  // of an entry that leaves alone
  std::vector<sys::Task> closers;    // called when an entry that leaves alone is gone
};

// Events, and runs that ended, come in through `inbox` and are worked off on `pump`, one after
// another: senders and lanes wait for no disk and for nobody's rules.
// ORDER: mutex, then inbox_mutex.
struct TaskSet::State : std::enable_shared_from_this<TaskSet::State> {
  explicit State(const TaskSetOptions& given);
  std::unique_ptr<Lane> StartLane() const;

  // ---- pump.cc
  // Does `work` with the mutex held, after what was posted before. Any thread.
  void Post(sys::Task work);
  // Works the inbox off, commits what is due (with `all` what there is) and hands on what was
  // committed. On `pump`.
  void Pump(bool all = false);
  // As Pump with `all`, then `done`, until nothing of `group` runs. Any thread.
  void PumpUntilDone(std::weak_ptr<TaskGroup::Impl> group, sys::Task done);
  // With the mutex held.
  void Drain();
  void Give(const flow::EventPtr& event, int64_t arrival_ms, const std::shared_ptr<Ticket>& ticket);
  void StartRuns(TaskGroup::Impl& group, const std::shared_ptr<Ticket>& ticket);
  void Begin(TaskGroup::Impl& group, std::shared_ptr<const flow::Start> start, uint64_t run,
             const std::shared_ptr<Ticket>& ticket);
  // Begins the app's call; `task` is what ran for the package when the app called.
  void Call(TaskGroup::Impl& group, const std::shared_ptr<const RunningTask>& task,
            std::shared_ptr<const flow::Start> start);
  void ScheduleCommit();
  // For windows of streams that are idle for less than kAdvanceMs.
  void ScheduleIdle();
  void Advance();
  // Once in kAdvanceMs while some group keeps time: a device whose tasks wait for events alone is
  // not woken.
  void ScheduleAdvance();
  // Without it, on `pump`.
  void HandOn();

  const TaskSetOptions options;
  sys::Clock& clock;
  std::shared_ptr<SharedParallel> parallel;
  std::unique_ptr<vm::Scheduler> scheduler;
  // Shared with what may outlive the set.
  const std::shared_ptr<Waiting> waiting = std::make_shared<Waiting>();
  const std::shared_ptr<std::atomic<int64_t>> events = std::make_shared<std::atomic<int64_t>>(0);
  std::atomic<int64_t> future = 0;

  std::mutex inbox_mutex;
  std::deque<sys::Task> inbox;
  bool pumping = false;           // a Pump is posted or runs
  sys::Executor* pump = nullptr;  // null: the set has ended

  std::mutex mutex;  // of all below and of the groups' entries; held for no task's work
  bool stopped = false;
  bool advancing = false;  // `advance` waits
  sys::Executor::TimerId advance = 0, commit = 0, idle = 0;
  int64_t commit_ns = INT64_MAX;  // when `commit` comes
  int64_t idle_ms = INT64_MAX;    // and `idle`
  int64_t advanced_ms = 0;        // of the last Advance
  std::vector<TaskGroup::Impl*> groups;
};

struct TaskGroup::Impl : std::enable_shared_from_this<TaskGroup::Impl> {
  explicit Impl(std::shared_ptr<TaskSet::State> of, TaskGroupOptions given);
  // Cancels the scripts of the group that run now.
  void CancelAll();
  // Forgets all tasks; waits for what runs on lanes of their own. Not on a lane, and without the
  // mutex.
  void Drop();
  std::shared_ptr<const RunningTask> TaskOf(const std::string& package) const;
  bool Busy(const std::string& package) const;  // its lane is full

  const std::shared_ptr<TaskSet::State> set;
  const std::shared_ptr<const TaskGroupOptions> options;
  std::unique_ptr<Lane> preparing;
  // Guarded by the set's mutex.
  GroupFlow flow;
  bool closing = false;  // events start nothing more
  bool gone = false;     // nothing is committed any more
  // How often all was erased: runs that began before one of these times leave nothing.
  const std::shared_ptr<std::atomic<uint64_t>> erasures =
      std::make_shared<std::atomic<uint64_t>>(0);
  size_t calls = 0;  // that wait in the inbox
  std::map<std::string, TaskEntry> entries;
  std::vector<std::shared_ptr<TaskEntry>> leaving;  // removed, and not yet done
  sys::Executor::TimerId grace = 0;
};

}  // namespace ferry::task
