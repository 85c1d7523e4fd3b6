#include "device-runtime/task/task_state.h"

namespace ferry::task {

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
  for (auto& [package, entry] : entries) set->RemoveTrigger(&entry);
  gone.swap(entries);
}

TaskGroup::TaskGroup(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

TaskGroup::~TaskGroup() {
  {
    const std::lock_guard lock(impl_->set->mutex);
    std::erase(impl_->set->groups, impl_.get());
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
  const std::lock_guard lock(impl_->set->mutex);
  TaskEntry& entry = impl_->entries[package];
  if (entry.lane == nullptr) {
    entry.options = impl_->options;
    entry.lane = impl_->set->StartLane();
  }
  if (Status added = impl_->set->AddTrigger(&entry, runner->trigger()); !added.ok()) {
    if (entry.now == nullptr) impl_->entries.erase(package);
    return added;
  }
  if (entry.now) entry.lane->Run([old = std::move(entry.now)] { old->runner->Close(); });
  task->runner = std::move(runner);
  task->events_before = *task->events;
  entry.now = std::move(task);
  return OkStatus();
}

void TaskGroup::SetRelease(const std::string& package, const std::string& release) {
  const std::lock_guard lock(impl_->set->mutex);
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
  impl_->set->RemoveTrigger(&found->second);
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
  entry->lane->Run([task = entry->now, &executor, let_go] {
    task->runner->Close();
    executor.Post(let_go);
  });
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
  std::unique_lock lock(impl_->set->mutex);
  std::vector<Lane*> busy;
  for (auto& [package, entry] : impl_->entries)
    if (entry.lane->waiting() > 0) busy.push_back(entry.lane.get());
  const WhenAll ended(busy.size() + 1, std::move(done));
  for (Lane* lane : busy) lane->Run(ended);
  lock.unlock();
  ended();
}

void TaskGroup::Close(sys::Task done) {
  const std::lock_guard lock(impl_->set->mutex);
  sys::Executor& executor = *impl_->set->options.executor;
  // Lanes end on the executor, because they wait for their threads.
  const size_t lanes = impl_->entries.size() + impl_->leaving.size();
  const WhenAll closed(lanes + 1, [&executor, impl = impl_, done] {
    executor.Post([impl, done] {
      impl->Drop();
      done();
    });
  });
  for (auto& [package, entry] : impl_->entries) {
    impl_->set->RemoveTrigger(&entry);
    entry.lane->Run([task = entry.now, closed] {
      task->runner->Close();
      closed();
    });
  }
  // Not on their lanes, which drop what still waits there when they end.
  for (const auto& entry : impl_->leaving) entry->closers.push_back(closed);
  if (impl_->set->scheduler != nullptr)
    impl_->grace = executor.PostAfter(kCloseGraceMs, [weak = std::weak_ptr<Impl>(impl_)] {
      if (const auto impl = weak.lock()) impl->CancelAll();
    });
  closed();
}

}  // namespace ferry::task
