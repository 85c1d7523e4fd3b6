// The inside of TaskSet and TaskGroup, for their two files only.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "device-runtime/task/lane.h"
#include "device-runtime/task/task_set.h"
#include "pipeline/trigger/trigger.h"

namespace ferry::task {

// A package's place in a group: its lane stays while its versions change. Guarded by the set's
// mutex.
struct TaskEntry {
  std::shared_ptr<const TaskGroupOptions> options;  // of its group
  std::shared_ptr<const RunningTask> now;
  std::unique_ptr<Lane> lane;
  std::optional<size_t> trigger;     // the index of `now`'s in the matcher
  sys::Executor::TimerId grace = 0;  // of an entry that leaves alone
  std::vector<sys::Task> closers;    // called when an entry that leaves alone is gone
};

struct TaskSet::State : std::enable_shared_from_this<TaskSet::State> {
  explicit State(const TaskSetOptions& given);
  std::unique_ptr<Lane> StartLane() const;
  // From here to Advance with the mutex held.
  Status AddTrigger(TaskEntry* entry, const trigger::Trigger* trigger);
  void RemoveTrigger(TaskEntry* entry);
  void Match(const trigger::EventPtr& event, std::function<void()> done);
  void ScheduleAdvance();
  // On the executor.
  void Advance();

  const TaskSetOptions options;
  sys::Clock& clock;
  std::shared_ptr<SharedParallel> parallel;
  std::unique_ptr<vm::Scheduler> scheduler;
  // Shared with what may outlive the set.
  const std::shared_ptr<Waiting> waiting = std::make_shared<Waiting>();
  const std::shared_ptr<std::atomic<int64_t>> events = std::make_shared<std::atomic<int64_t>>(0);

  std::atomic<int64_t> future = 0;

  std::mutex mutex;  // of all below and of the groups' entries; held for no task's work
  bool stopped = false;
  sys::Executor::TimerId advance = 0;
  trigger::Matcher matcher;
  std::vector<TaskEntry*> by_trigger;   // by the matcher's index; null: removed
  std::vector<trigger::Match> matches;  // scratch
  std::vector<TaskEntry*> refused;      // scratch
  std::vector<TaskGroup::Impl*> groups;
};

struct TaskGroup::Impl : std::enable_shared_from_this<TaskGroup::Impl> {
  // Cancels the scripts of the group that run now.
  void CancelAll();
  // Forgets all tasks; waits for what runs on lanes of their own. Not on a lane, and without the
  // mutex.
  void Drop();

  std::shared_ptr<TaskSet::State> set;
  std::shared_ptr<const TaskGroupOptions> options;
  std::unique_ptr<Lane> preparing;
  // Guarded by the set's mutex, as `grace`.
  std::map<std::string, TaskEntry> entries;
  std::vector<std::shared_ptr<TaskEntry>> leaving;  // removed, and not yet done
  sys::Executor::TimerId grace = 0;
};

}  // namespace ferry::task
