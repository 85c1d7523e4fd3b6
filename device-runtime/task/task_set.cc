#include "device-runtime/task/task_set.h"
#include "device-runtime/task/host.h"
#include "device-runtime/task/outcome.h"

#include <algorithm>

#include "device-runtime/task/task_state.h"

namespace ferry::task {
namespace {

// What the lane of a task does with a start, or with the refusal of one.
std::function<void(HeldRuns&)> MakeWork(const TaskEntry& entry, uint64_t event,
                                        std::function<EventOutcome(PackageRunner&)> run,
                                        std::shared_ptr<Ticket> ticket) {
  return [options = entry.options, task = entry.now, event, run = std::move(run),
          ticket = std::move(ticket)](HeldRuns& held) mutable {
    auto outcome = std::make_unique<TaskOutcome>();
    outcome->package = task->package;
    outcome->version = task->version;
    outcome->release = task->release;
    outcome->event = event;
    outcome->outcome = run(*task->runner);
    held.Add({options, task, std::move(ticket), std::move(outcome)});
  };
}

}  // namespace

HostStats RunningTask::stats() const {
  HostStats out = runner->stats();
  out.events = events->load() - events_before;
  return out;
}

TaskSet::State::State(const TaskSetOptions& given)
    : options(given), clock(given.clock != nullptr ? *given.clock : sys::SystemClock()) {
  if (options.threads != 1)
    parallel = std::make_shared<SharedParallel>(sys::StartThreadPool(options.threads));
  if (options.own_lanes)
    scheduler = std::make_unique<vm::Scheduler>(
        vm::Scheduler::Options{.slots = options.threads, .clock = &clock});
}

std::unique_ptr<Lane> TaskSet::State::StartLane() const {
  return std::make_unique<Lane>(
      options.own_lanes ? sys::StartThreadExecutor("ferry-task") : nullptr, *options.executor,
      clock);
}

Status TaskSet::State::AddTrigger(TaskEntry* entry, const trigger::Trigger* trigger) {
  std::optional<size_t> index;
  if (trigger != nullptr) {
    FERRY_ASSIGN_OR_RETURN(index, matcher.Add(*trigger));
  }
  RemoveTrigger(entry);
  entry->trigger = index;
  if (!index) return OkStatus();
  by_trigger.resize(std::max(by_trigger.size(), *index + 1));
  by_trigger[*index] = entry;
  return OkStatus();
}

void TaskSet::State::RemoveTrigger(TaskEntry* entry) {
  if (!entry->trigger) return;
  matcher.Remove(*entry->trigger);
  by_trigger[*entry->trigger] = nullptr;
  entry->trigger.reset();
}

void TaskSet::State::Match(const trigger::EventPtr& event, std::function<void()> done) {
  matches.clear();
  refused.clear();
  matcher.OnEvent(event, &matches, [&](size_t index) {
    TaskEntry* entry = by_trigger[index];
    // Who can give an event again sends few at once, and would give it again for nothing.
    if (event->number != 0) return false;
    if (entry->lane->waiting() < entry->options->max_lane_events) return false;
    refused.push_back(entry);
    return true;
  });
  if (matches.empty() && refused.empty()) {
    if (done) done();
    return;
  }
  const auto ticket = std::make_shared<Ticket>(waiting, event->bytes,
                                               matches.size() + refused.size(), std::move(done));
  for (trigger::Match& match : matches) {
    const TaskEntry& entry = *by_trigger[match.trigger];
    entry.lane->RunMatch(MakeWork(
        entry, event->number,
        [match = std::move(match)](PackageRunner& runner) { return runner.OnMatch(match); },
        ticket));
  }
  for (const TaskEntry* entry : refused) {
    EventOutcome full;
    full.undone = true;
    full.error = Status::Of(Code::kLimitExceeded, "{} events wait for {} already",
                            entry->lane->waiting(), entry->now->package);
    entry->lane->RunMatch(MakeWork(
        *entry, event->number, [full = std::move(full)](PackageRunner&) { return full; }, ticket));
  }
  matches.clear();
}

void TaskSet::State::ScheduleAdvance() {
  advance = options.executor->PostAfter(kAdvanceMs, [weak = weak_from_this()] {
    if (const auto state = weak.lock()) state->Advance();
  });
}

void TaskSet::State::Advance() {
  const std::lock_guard lock(mutex);
  if (stopped) return;
  // Windows of a busy task close when its events are done.
  for (TaskGroup::Impl* group : groups)
    for (auto& [package, entry] : group->entries)
      if (entry.lane->waiting() == 0)
        entry.lane->Run([task = entry.now] { task->runner->Advance(); });
  ScheduleAdvance();
}

TaskSet::TaskSet(const TaskSetOptions& options) : state_(std::make_shared<State>(options)) {
  const std::lock_guard lock(state_->mutex);
  state_->ScheduleAdvance();
}

TaskSet::~TaskSet() {
  sys::Executor::TimerId timer;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopped = true;
    timer = state_->advance;
  }
  state_->options.executor->Cancel(timer);
}

std::unique_ptr<TaskGroup> TaskSet::MakeGroup(TaskGroupOptions options) {
  auto impl = std::make_shared<TaskGroup::Impl>();
  impl->set = state_;
  impl->options = std::make_shared<const TaskGroupOptions>(std::move(options));
  impl->preparing = state_->StartLane();
  const std::lock_guard lock(state_->mutex);
  state_->groups.push_back(impl.get());
  return std::make_unique<TaskGroup>(std::move(impl));
}

HostOptions TaskSet::host_options(std::string_view group, store::Outbox* outbox) const {
  HostOptions options;
  options.clock = &state_->clock;
  options.parallel = state_->parallel.get();
  options.outbox = outbox;
  options.scheduler = state_->scheduler.get();
  options.owner_prefix = group;
  return options;
}

Status TaskSet::Send(event::Event event, std::function<void()> done) {
  if (event::StampArrival(state_->clock.NowUnixMs(), &event)) ++state_->future;
  // Let go after the lock, unless a task has it.
  const auto shared = std::make_shared<const event::Event>(std::move(event));
  const std::lock_guard lock(state_->mutex);
  if (state_->waiting->events >= kMaxWaitingEvents)
    return Status::Of(Code::kLimitExceeded, "{} events wait, the limit", kMaxWaitingEvents);
  if (state_->waiting->bytes >= kMaxWaitingBytes)
    return Status::Of(Code::kLimitExceeded, "events of {} bytes wait, the limit is {}",
                      state_->waiting->bytes.load(), kMaxWaitingBytes);
  ++*state_->events;
  state_->Match(shared, std::move(done));
  return OkStatus();
}

size_t TaskSet::waiting() const {
  return state_->waiting->events;
}

TaskSet::EventStats TaskSet::event_stats() const {
  return {*state_->events, static_cast<int64_t>(state_->waiting->events),
          static_cast<int64_t>(state_->waiting->bytes), state_->future};
}

void TaskSet::CountFuture() {
  ++state_->future;
}

std::shared_ptr<sys::Parallel> TaskSet::parallel() const {
  return state_->parallel;
}

vm::Scheduler* TaskSet::scheduler() const {
  return state_->scheduler.get();
}

}  // namespace ferry::task
