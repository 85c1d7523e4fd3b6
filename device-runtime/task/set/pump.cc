// Where a set's events go to rules and streams, and where what came of them is committed.
#include <algorithm>
#include <future>

#include "device-runtime/task/latency.h"
#include "device-runtime/task/outcome.h"
#include "device-runtime/task/runner.h"
#include "device-runtime/task/set/state.h"
#include "pipeline/event/event.h"

namespace ferry::task {
namespace {

// Keeps an event waiting, and its outcome in the state, until the app has it.
struct HandedOn {
  std::weak_ptr<TaskSet::State> set;
  std::weak_ptr<TaskGroup::Impl> group;
  uint64_t run = 0;
  std::shared_ptr<Ticket> ticket;
  ~HandedOn() {
    const auto state = set.lock();
    if (state == nullptr || run == 0) return;
    state->Post([group = group, run = run] {
      if (const auto one = group.lock()) one->flow.Handed(run);
    });
  }
};

// What is handed on without a run.
EndedRun Without(const std::string& package, const TaskEntry& entry, uint64_t number,
                 const std::shared_ptr<Ticket>& ticket, EventOutcome outcome) {
  EndedRun run;
  run.task = entry.now;
  run.ticket = ticket;
  if (ticket != nullptr) ticket->RunBegins();
  run.outcome = std::make_unique<TaskOutcome>();
  run.outcome->package = package;
  run.outcome->version = entry.now->version;
  run.outcome->release = entry.now->release;
  run.outcome->event = number;
  run.outcome->outcome = std::move(outcome);
  return run;
}

EndedRun Refused(const std::string& package, const TaskEntry& entry, uint64_t number,
                 const std::shared_ptr<Ticket>& ticket) {
  EventOutcome outcome;
  outcome.undone = true;
  outcome.error = Status::Of(Code::kLimitExceeded, "{} events wait for {} already",
                             entry.lane->waiting(), package);
  return Without(package, entry, number, ticket, std::move(outcome));
}

}  // namespace

void TaskSet::State::Post(sys::Task work) {
  const std::lock_guard lock(inbox_mutex);
  if (pump == nullptr) return;
  inbox.push_back(std::move(work));
  if (std::exchange(pumping, true)) return;
  pump->Post([weak = weak_from_this()] {
    if (const auto state = weak.lock()) state->Pump();
  });
}

void TaskSet::State::Drain() {
  std::deque<sys::Task> works;
  for (;;) {
    {
      const std::lock_guard lock(inbox_mutex);
      works.swap(inbox);
    }
    if (works.empty()) return;
    for (const sys::Task& work : works) work();
    works.clear();
  }
}

void TaskSet::State::Pump(bool all) {
  {
    const std::lock_guard lock(mutex);
    Drain();
    const int64_t now_ns = clock.MonotonicNs();
    for (TaskGroup::Impl* group : groups)
      if (group->flow.due_ns() <= (all ? INT64_MAX - 1 : now_ns))
        (void)group->flow.Commit(options.make_durable);
  }
  HandOn();
  const std::lock_guard lock(mutex);
  ScheduleCommit();
  ScheduleIdle();
  ScheduleAdvance();
  const std::lock_guard inbox_lock(inbox_mutex);
  pumping = !inbox.empty();
  if (!pumping || pump == nullptr) return;
  pump->Post([weak = weak_from_this()] {
    if (const auto state = weak.lock()) state->Pump();
  });
}

void TaskSet::State::ScheduleCommit() {
  int64_t due_ns = INT64_MAX;
  for (const TaskGroup::Impl* group : groups) due_ns = std::min(due_ns, group->flow.due_ns());
  if (due_ns == commit_ns || stopped) return;
  pump->Cancel(commit);
  commit_ns = due_ns;
  if (due_ns == INT64_MAX) return;
  const int64_t wait_ns = std::max<int64_t>(due_ns - clock.MonotonicNs(), 0);
  commit = pump->PostAfter((wait_ns + kNsPerMs - 1) / kNsPerMs, [weak = weak_from_this()] {
    const auto state = weak.lock();
    if (state == nullptr) return;
    {
      const std::lock_guard lock(state->mutex);
      state->commit_ns = INT64_MAX;
    }
    state->Post([] {});
  });
}

void TaskSet::State::HandOn() {
  struct Group {
    std::shared_ptr<TaskGroup::Impl> group;
    std::vector<EndedRun> runs;
    GroupFlow::Rows rows = GroupFlow::Rows::kNone;
  };
  std::vector<Group> all;
  {
    const std::lock_guard lock(mutex);
    for (TaskGroup::Impl* group : groups)
      all.push_back(
          {group->shared_from_this(), group->flow.TakeCommitted(), group->flow.TakeRows()});
  }
  for (Group& one : all) {
    const TaskGroupOptions& given = *one.group->options;
    for (EndedRun& run : one.runs) {
      const bool kept = run.run != 0 && run.outcome->event != 0 && given.outbox != nullptr &&
                        !run.outcome->outcome.undone;
      if (run.ticket != nullptr && !run.outcome->outcome.undone) run.ticket->RunEnded();
      auto handed = std::make_shared<HandedOn>();
      if (kept) {
        handed->set = weak_from_this();
        handed->group = one.group;
        handed->run = run.run;
      }
      handed->ticket = std::move(run.ticket);
      run.outcome->waits = std::move(handed);
      if (!run.outcome->outcome.unknown && given.on_outcome)
        given.on_outcome(std::move(*run.outcome), *run.task);
    }
    if (one.rows != GroupFlow::Rows::kNone && given.on_rows)
      given.on_rows(one.rows == GroupFlow::Rows::kRealtime);
  }
}

void TaskSet::State::Give(const flow::EventPtr& event, int64_t arrival_ms,
                          const std::shared_ptr<Ticket>& ticket) {
  for (TaskGroup::Impl* group : groups) {
    if (group->closing || group->flow.Knows(event->number)) continue;
    std::vector<std::string> refused;
    group->flow.OnEvent(event, arrival_ms, [&](const std::string& package) {
      // Who can give an event again sends few at once, and would give it again for nothing.
      if (event->number != 0 || !group->Busy(package)) return false;
      refused.push_back(package);
      return true;
    });
    for (const std::string& package : refused)
      group->flow.End(Refused(package, group->entries.at(package), event->number, ticket));
    StartRuns(*group, ticket);
  }
  ticket->Given();
}

void TaskSet::State::StartRuns(TaskGroup::Impl& group, const std::shared_ptr<Ticket>& ticket) {
  group.flow.ForApp([&](const std::string& package) { return group.TaskOf(package); }, ticket);
  for (flow::Start& start : group.flow.TakeStarts()) {
    const auto entry = group.entries.find(start.owner);
    if (entry == group.entries.end()) continue;
    if (start.number == 0 && group.Busy(start.owner)) {
      group.flow.End(Refused(start.owner, entry->second, 0, ticket));
      continue;
    }
    EventOutcome marked = group.flow.MarkedRun(start, group.options->name + start.owner);
    if (marked.fired) {
      group.flow.End(Without(start.owner, entry->second, start.number, ticket, std::move(marked)));
      continue;
    }
    auto shared = std::make_shared<const flow::Start>(std::move(start));
    const uint64_t run = group.flow.Begin(shared);
    Begin(group, std::move(shared), run, ticket);
  }
}

void TaskSet::State::Begin(TaskGroup::Impl& group, std::shared_ptr<const flow::Start> start,
                           uint64_t run, const std::shared_ptr<Ticket>& ticket) {
  const TaskEntry& entry = group.entries.at(start->owner);
  if (ticket != nullptr) ticket->RunBegins();
  entry.lane->Run([state = weak_from_this(), weak = group.weak_from_this(), task = entry.now,
                   start = std::move(start), run, ticket, own = options.own_lanes,
                   erasures = group.erasures, erased = group.erasures->load(),
                   with_stats = group.options->with_stats]() mutable {
    if (*erasures != erased) return;
    auto ended = std::make_shared<EndedRun>();
    ended->run = run;
    ended->task = task;
    ended->ticket = std::move(ticket);
    ended->outcome = std::make_unique<TaskOutcome>();
    ended->outcome->package = task->package;
    ended->outcome->version = task->version;
    ended->outcome->release = task->release;
    ended->outcome->event = start->number;
    ended->outcome->call = start->call;
    ended->outcome->outcome = task->runner->Run(*start);
    if (with_stats)
      ended->outcome->stats = std::make_shared<const HostStats>(task->runner->stats());
    const auto set = state.lock();
    if (set == nullptr) return;
    // The next run of the task sees what this one wrote.
    const bool wrote = ended->outcome->outcome.tables != nullptr;
    std::future<void> committed;
    if (wrote && own) {
      auto promise = std::make_shared<std::promise<void>>();
      committed = promise->get_future();
      ended->committed = [promise = std::move(promise)] { promise->set_value(); };
    }
    set->Post([set = set.get(), weak, ended, erased] {
      const auto one = weak.lock();
      if (one == nullptr || one->gone || *one->erasures != erased) {
        ended->committed = nullptr;  // its lane waits no more
        return;
      }
      const auto shared_ticket = ended->ticket;
      one->flow.End(std::move(*ended));
      set->StartRuns(*one, shared_ticket);
    });
    if (wrote && !own) set->Pump();
    ended = nullptr;
    if (committed.valid()) committed.wait();
  });
}

void TaskSet::State::Call(TaskGroup::Impl& group, const std::shared_ptr<const RunningTask>& task,
                          std::shared_ptr<const flow::Start> start) {
  if (group.entries.contains(start->owner)) {
    const uint64_t run = group.flow.Begin(start);
    return Begin(group, std::move(start), run, nullptr);
  }
  EventOutcome outcome;
  outcome.fired = true;
  outcome.error =
      Status::Of(Code::kNotFound, "package {} was removed before its call", start->owner);
  TaskEntry was;
  was.now = task;
  EndedRun run = Without(start->owner, was, 0, nullptr, std::move(outcome));
  run.outcome->call = start->call;
  group.flow.End(std::move(run));
}

void TaskSet::State::PumpUntilDone(std::weak_ptr<TaskGroup::Impl> group, sys::Task done) {
  const std::lock_guard inbox_lock(inbox_mutex);
  if (pump == nullptr) return;
  pump->Post([weak = weak_from_this(), group, done = std::move(done)]() mutable {
    const auto state = weak.lock();
    if (state == nullptr) return;
    state->Pump(true);
    const auto one = group.lock();
    if (one == nullptr) return done();
    std::unique_lock lock(state->mutex);
    if (one->flow.running() == 0) {
      lock.unlock();
      return done();
    }
    std::vector<Lane*> busy;
    for (auto& [package, entry] : one->entries)
      if (entry.lane->waiting() > 0) busy.push_back(entry.lane.get());
    const WhenAll ended(busy.size() + one->leaving.size() + 1,
                        [state, group, done = std::move(done)]() mutable {
                          state->PumpUntilDone(group, std::move(done));
                        });
    for (Lane* lane : busy) lane->Run(ended);
    // Not on their lanes, which drop what still waits there when they end.
    for (const auto& entry : one->leaving) entry->closers.push_back(ended);
    lock.unlock();
    ended();
  });
}

void TaskSet::State::Advance() {
  advanced_ms = clock.MonotonicNs() / kNsPerMs;
  for (TaskGroup::Impl* group : groups) {
    // Windows of a busy task close when its rows are there.
    group->flow.Advance([group](const std::string& package) {
      const auto entry = group->entries.find(package);
      return entry != group->entries.end() && entry->second.lane->waiting() > 0;
    });
    StartRuns(*group, nullptr);
  }
}

void TaskSet::State::ScheduleAdvance() {
  const bool keeps_time =
      std::any_of(groups.begin(), groups.end(),
                  [](const TaskGroup::Impl* group) { return group->flow.keeps_time(); });
  if (advancing || stopped || !keeps_time) return;
  advancing = true;
  advance = options.executor->PostAfter(kAdvanceMs, [weak = weak_from_this()] {
    const auto state = weak.lock();
    if (state == nullptr) return;
    {
      const std::lock_guard lock(state->mutex);
      state->advancing = false;
    }
    state->Post([state = state.get()] { state->Advance(); });  // and Pump comes here again
  });
}

void TaskSet::State::ScheduleIdle() {
  int64_t next_ms = INT64_MAX;
  for (const TaskGroup::Impl* group : groups)
    next_ms = std::min(next_ms, group->flow.next_idle_ms(kAdvanceMs));
  // What was not closed at its time waits for something else than time.
  if (next_ms <= advanced_ms) next_ms = INT64_MAX;
  if (next_ms == idle_ms || stopped) return;
  pump->Cancel(idle);
  idle_ms = next_ms;
  if (next_ms == INT64_MAX) return;
  const int64_t wait_ms = std::max<int64_t>(next_ms - clock.MonotonicNs() / kNsPerMs, 0);
  idle = pump->PostAfter(wait_ms, [weak = weak_from_this()] {
    const auto state = weak.lock();
    if (state == nullptr) return;
    {
      const std::lock_guard lock(state->mutex);
      state->idle_ms = INT64_MAX;
    }
    state->Post([state = state.get()] { state->Advance(); });
  });
}

}  // namespace ferry::task
