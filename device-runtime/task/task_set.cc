#include "device-runtime/task/task_set.h"

#include "common/sys/polite_executor.h"
#include "device-runtime/task/host.h"
#include "device-runtime/task/outcome.h"
#include "device-runtime/task/set/state.h"

namespace ferry::task {
namespace {

std::unique_ptr<sys::Executor> StartThread(const TaskSetOptions& options, const char* name) {
  if (!options.own_lanes) return nullptr;
  return options.polite ? sys::StartPoliteExecutor(name) : sys::StartThreadExecutor(name);
}

}  // namespace

HostStats RunningTask::stats() const {
  HostStats out = runner->stats();
  out.events = events->load() - events_before;
  if (add_flow) add_flow(&out);
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
  return std::make_unique<Lane>(StartThread(options, "ferry-task"), *options.executor);
}

TaskSet::TaskSet(const TaskSetOptions& options)
    : pump_(StartThread(options, "ferry-events")), state_(std::make_shared<State>(options)) {
  const std::lock_guard lock(state_->mutex);
  state_->pump = pump_ != nullptr ? pump_.get() : options.executor;
}

TaskSet::~TaskSet() {
  sys::Executor::TimerId advance, commit, idle;
  sys::Executor* pump;
  std::deque<sys::Task> dropped;  // let go without a lock
  {
    const std::lock_guard lock(state_->mutex);
    const std::lock_guard inbox_lock(state_->inbox_mutex);
    state_->stopped = true;
    advance = state_->advance;
    commit = state_->commit;
    idle = state_->idle;
    pump = std::exchange(state_->pump, nullptr);
    dropped.swap(state_->inbox);
  }
  state_->options.executor->Cancel(advance);
  pump->Cancel(commit);
  pump->Cancel(idle);
  pump_ = nullptr;
}

std::unique_ptr<TaskGroup> TaskSet::MakeGroup(TaskGroupOptions options) {
  auto impl = std::make_shared<TaskGroup::Impl>(state_, std::move(options));
  const std::lock_guard lock(state_->mutex);
  state_->groups.push_back(impl.get());
  return std::make_unique<TaskGroup>(std::move(impl));
}

HostOptions TaskSet::host_options(std::string_view group) const {
  HostOptions options;
  options.clock = &state_->clock;
  options.parallel = state_->parallel.get();
  options.scheduler = state_->scheduler.get();
  options.owner_prefix = group;
  options.alone = false;
  const std::lock_guard lock(state_->mutex);
  for (TaskGroup::Impl* one : state_->groups)
    if (one->options->name == group) options.tables = one->flow.tables();
  return options;
}

Status TaskSet::Send(event::Event event, std::function<void()> done) {
  const int64_t arrival_ms = state_->clock.NowUnixMs();
  if (event::StampArrival(arrival_ms, &event)) ++state_->future;
  if (state_->waiting->events >= kMaxWaitingEvents)
    return Status::Of(Code::kLimitExceeded, "{} events wait, the limit", kMaxWaitingEvents);
  if (state_->waiting->bytes >= kMaxWaitingBytes)
    return Status::Of(Code::kLimitExceeded, "events of {} bytes wait, the limit is {}",
                      state_->waiting->bytes.load(), kMaxWaitingBytes);
  auto ticket = std::make_shared<Ticket>(state_->waiting, event.bytes, std::move(done));
  const auto shared = std::make_shared<const event::Event>(std::move(event));
  ++*state_->events;
  // Nothing of the ticket is left here, so that `done` is never called inside this call, where its
  // caller may hold a lock that `done` takes.
  state_->Post([state = state_.get(), shared, arrival_ms, ticket = std::move(ticket)] {
    state->Give(shared, arrival_ms, ticket);
  });
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
