#include "device-runtime/task/set/state.h"

#include <algorithm>

#include "device-runtime/task/outcome.h"
#include "device-runtime/task/runner.h"

namespace ferry::task {

TaskGroup::Impl::Impl(std::shared_ptr<TaskSet::State> of, TaskGroupOptions given)
    : set(std::move(of)),
      options(std::make_shared<const TaskGroupOptions>(std::move(given))),
      preparing(set->StartLane()),
      flow(set->clock, options->outbox) {}

std::shared_ptr<const RunningTask> TaskGroup::Impl::TaskOf(const std::string& package) const {
  const auto entry = entries.find(package);
  return entry == entries.end() ? nullptr : entry->second.now;
}

bool TaskGroup::Impl::Busy(const std::string& package) const {
  const auto entry = entries.find(package);
  return entry != entries.end() && entry->second.lane->waiting() >= options->max_lane_events;
}

void TaskGroup::Impl::CancelAll() {
  if (set->scheduler == nullptr) return;
  for (const auto& one : set->scheduler->owners())
    if (one.owner.starts_with(options->name)) set->scheduler->CancelOwner(one.owner);
}

void TaskGroup::Impl::Drop() {
  std::map<std::string, TaskEntry> gone;  // let go after the lock: lanes wait for their threads
  std::vector<std::shared_ptr<TaskEntry>> left;
  const std::lock_guard lock(set->mutex);
  set->options.executor->Cancel(grace);
  for (const auto& entry : leaving) set->options.executor->Cancel(entry->grace);
  left.swap(leaving);
  gone.swap(entries);
}

TaskGroup::TaskGroup(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

TaskGroup::~TaskGroup() {
  {
    const std::lock_guard lock(impl_->set->mutex);
    std::erase(impl_->set->groups, impl_.get());
    impl_->gone = true;
    impl_->flow.Abandon();
  }
  impl_->CancelAll();
  impl_->preparing = nullptr;
  impl_->Drop();
}

void TaskGroup::Prepare(sys::Task work) {
  impl_->preparing->Run([set = impl_->set, work = std::move(work)] { work(); });
}

Status TaskGroup::Use(const std::string& package, const std::string& version,
                      const std::string& release, std::shared_ptr<PackageRunner> runner) {
  auto task = std::make_shared<RunningTask>();
  task->package = package;
  task->version = version;
  task->release = release;
  task->set = impl_->set;
  task->events = impl_->set->events;
  task->add_flow = [weak = impl_->weak_from_this(), package](HostStats* out) {
    const auto impl = weak.lock();
    if (impl == nullptr) return;
    const std::lock_guard lock(impl->set->mutex);
    impl->flow.AddStats(package, out);
  };
  task->runner = std::move(runner);
  const std::lock_guard lock(impl_->set->mutex);
  impl_->set->Drain();  // events that were sent before are the version's before
  const bool replaces = impl_->entries.contains(package);
  // Streams go on from what is committed.
  if (replaces && impl_->flow.due_ns() != INT64_MAX)
    FERRY_TRY(impl_->flow.Commit(impl_->set->options.make_durable));
  FERRY_TRY(impl_->flow.Use(package, *task->runner));
  TaskEntry& entry = impl_->entries[package];
  if (entry.lane == nullptr) {
    entry.options = impl_->options;
    entry.lane = impl_->set->StartLane();
  }
  // The lane lets it go behind its last run.
  if (entry.now) entry.lane->Run([old = std::move(entry.now)] {});
  task->events_before = *task->events;
  entry.now = std::move(task);
  for (EndedRun& kept : impl_->flow.TakeKept(package)) {
    kept.task = entry.now;
    impl_->flow.End(std::move(kept));
  }
  for (auto& [run, start] : impl_->flow.TakeBegun(package))
    impl_->set->Begin(*impl_, std::move(start), run, nullptr);
  impl_->set->Post([] {});
  return OkStatus();
}

Status TaskGroup::Call(const std::string& package, const std::string& function, Json argument,
                       uint64_t call) {
  const std::lock_guard lock(impl_->set->mutex);
  const auto task = impl_->TaskOf(package);
  if (task == nullptr || impl_->closing)
    return Status::Of(Code::kNotFound, "no package {} is open or installed", package);
  if (task->runner->definition() == nullptr)
    return Status::Of(Code::kNotFound, "package {} has no functions", package);
  if (impl_->Busy(package) || impl_->calls >= impl_->options->max_lane_events)
    return Status::Of(Code::kLimitExceeded, "too much waits for {} already", package);
  auto start = std::make_shared<flow::Start>();
  start->owner = package;
  start->function = function;
  start->why = flow::ValueStart{std::move(argument), impl_->set->clock.NowUnixMs()};
  start->call = call;
  ++impl_->calls;
  impl_->set->Post([weak = impl_->weak_from_this(), task, start = std::move(start)] {
    const auto group = weak.lock();
    if (group == nullptr || group->gone) return;
    --group->calls;
    group->set->Call(*group, task, start);
  });
  return OkStatus();
}

void TaskGroup::SetRelease(const std::string& package, const std::string& release) {
  const std::lock_guard lock(impl_->set->mutex);
  impl_->set->Drain();  // events that were sent before are the release's before
  const auto entry = impl_->entries.find(package);
  if (entry == impl_->entries.end()) return;
  auto task = std::make_shared<RunningTask>(*entry->second.now);
  task->release = release;
  entry->second.now = std::move(task);
}

void TaskGroup::Remove(const std::string& package, sys::Task done) {
  const std::lock_guard lock(impl_->set->mutex);
  sys::Executor& executor = *impl_->set->options.executor;
  const auto found = impl_->entries.find(package);
  if (found == impl_->entries.end()) return executor.Post(std::move(done));
  const auto entry = std::make_shared<TaskEntry>();
  impl_->set->Drain();
  impl_->flow.Remove(package);
  *entry = std::move(found->second);
  impl_->entries.erase(found);
  impl_->leaving.push_back(entry);
  // The lane ends on the executor, because it waits for its thread.
  const auto let_go = [impl = std::weak_ptr<Impl>(impl_), left = std::weak_ptr<TaskEntry>(entry),
                       done = std::move(done)] {
    const auto group = impl.lock();
    auto gone = left.lock();
    if (group == nullptr || gone == nullptr) return;  // the whole group goes
    std::vector<sys::Task> closers;
    {
      const std::lock_guard guard(group->set->mutex);
      group->set->options.executor->Cancel(gone->grace);
      std::erase(group->leaving, gone);
      closers.swap(gone->closers);
    }
    gone.reset();
    done();
    for (const sys::Task& closer : closers) closer();
  };
  entry->lane->Run([&executor, let_go] { executor.Post(let_go); });
  if (impl_->set->scheduler == nullptr) return;
  entry->grace = executor.PostAfter(
      kCloseGraceMs, [impl = std::weak_ptr<Impl>(impl_), owner = impl_->options->name + package] {
        if (const auto group = impl.lock()) group->set->scheduler->CancelOwner(owner);
      });
}

std::shared_ptr<const RunningTask> TaskGroup::Find(const std::string& package) const {
  const std::lock_guard lock(impl_->set->mutex);
  const auto entry = impl_->entries.find(package);
  return entry == impl_->entries.end() ? nullptr : entry->second.now;
}

bool TaskGroup::Run(const std::string& package, std::function<void(const RunningTask&)> work) {
  const std::lock_guard lock(impl_->set->mutex);
  const auto entry = impl_->entries.find(package);
  if (entry == impl_->entries.end()) return false;
  entry->second.lane->Run([task = entry->second.now, work = std::move(work)] { work(*task); });
  return true;
}

void TaskGroup::Each(std::function<void(const RunningTask&)> body, sys::Task done) {
  std::unique_lock lock(impl_->set->mutex);
  const WhenAll ended(impl_->entries.size() + 1, std::move(done));
  for (auto& [package, entry] : impl_->entries) {
    entry.lane->Run([task = entry.now, body, ended] {
      body(*task);
      ended();
    });
  }
  lock.unlock();
  ended();
}

void TaskGroup::WhenDone(sys::Task done) {
  impl_->set->PumpUntilDone(impl_, std::move(done));
}

table::Tables* TaskGroup::tables() const {
  const std::lock_guard lock(impl_->set->mutex);
  return impl_->flow.tables();
}

Result<store::ErasedCounts> TaskGroup::Erase(uint64_t position) {
  const std::lock_guard lock(impl_->set->mutex);
  impl_->set->Drain();
  ++*impl_->erasures;
  impl_->CancelAll();
  FERRY_ASSIGN_OR_RETURN(const store::ErasedCounts counts, impl_->flow.Erase(position));
  Status used;
  for (auto& [package, entry] : impl_->entries) {
    // What it declares was taken before; what can fail now is the disk.
    if (Status again = impl_->flow.Use(package, *entry.now->runner); used.ok()) used = again;
    entry.lane->Run([task = entry.now] { task->runner->Forget(); });
  }
  impl_->set->Post([] {});
  FERRY_TRY(used);
  return counts;
}

void TaskGroup::Close(sys::Task done) {
  const std::lock_guard lock(impl_->set->mutex);
  sys::Executor& executor = *impl_->set->options.executor;
  impl_->set->Drain();
  impl_->closing = true;
  // Lanes end on the executor, because they wait for their threads; what they did is committed.
  const size_t lanes = impl_->entries.size() + impl_->leaving.size();
  const WhenAll closed(lanes + 1, [&executor, impl = impl_, done] {
    impl->set->PumpUntilDone(impl, [&executor, impl, done] {
      executor.Post([impl, done] {
        impl->Drop();
        done();
      });
    });
  });
  for (auto& [package, entry] : impl_->entries) entry.lane->Run(closed);
  // Not on their lanes, which drop what still waits there when they end.
  for (const auto& entry : impl_->leaving) entry->closers.push_back(closed);
  if (impl_->set->scheduler != nullptr)
    impl_->grace = executor.PostAfter(kCloseGraceMs, [weak = std::weak_ptr<Impl>(impl_)] {
      if (const auto impl = weak.lock()) impl->CancelAll();
    });
  closed();
}

}  // namespace ferry::task
