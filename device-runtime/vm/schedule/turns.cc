// Whose turn it is.
#include <algorithm>

#include "device-runtime/vm/schedule/entry.h"

namespace ferry::vm {

// Whether `a` goes before `b`.
bool Scheduler::Before(const Entry& a, const Entry& b, int64_t now) const {
  const auto rank = [now](const Entry& entry) {
    if (entry.cancelled) return INT64_MAX;  // it only has to end
    const int64_t waited = entry.state == State::kHasTurn ? 0 : now - entry.since_ns;
    return static_cast<int64_t>(entry.options.priority) + waited / kAgingNs;
  };
  if (rank(a) != rank(b)) return rank(a) > rank(b);
  if (a.options.deadline_ns != b.options.deadline_ns)
    return a.options.deadline_ns < b.options.deadline_ns;
  if (a.owner != b.owner && a.owner->virtual_steps != b.owner->virtual_steps)
    return a.owner->virtual_steps < b.owner->virtual_steps;
  return a.id < b.id;
}

bool Scheduler::HasWorker() {
  return !idle_.empty() || static_cast<int>(workers_.size()) < options_.threads;
}

// The first of those that could go on now; nullptr: none.
Scheduler::Entry* Scheduler::Best() {
  const bool worker = HasWorker();
  const int64_t now = clock_.MonotonicNs();
  Entry* best = nullptr;
  for (const auto& [id, entry] : entries_) {
    if (entry->state != State::kWantsTurn && (entry->state != State::kWaiting || !worker)) continue;
    if (best == nullptr || Before(*entry, *best, now)) best = entry.get();
  }
  return best;
}

void Scheduler::StartEntry(Entry& entry) {
  if (idle_.empty()) {
    workers_.push_back(options_.executor ? options_.executor() : sys::StartThreadExecutor("task"));
    idle_.push_back(workers_.back().get());
  }
  sys::Executor* worker = idle_.back();
  idle_.pop_back();
  worker->Post([this, worker, e = &entry] { RunEntry(e, worker); });
}

void Scheduler::GiveTurns() {
  while (running_ < options_.slots && wanting_ > 0) {
    Entry* best = Best();
    if (best == nullptr) return;
    const bool begins = best->state == State::kWaiting;
    best->state = State::kHasTurn;
    ++running_;
    --wanting_;
    virtual_now_ = std::max(virtual_now_, best->owner->virtual_steps);
    if (begins) {
      StartEntry(*best);
    } else {
      best->turn.notify_one();
    }
  }
}

void Scheduler::Charge(Entry& entry) {
  entry.owner->steps += entry.uncharged;
  entry.owner->virtual_steps += entry.uncharged / entry.owner->weight;
  entry.uncharged = 0;
}

void Scheduler::LeaveTurn(Entry& entry, State state) {
  entry.state = state;
  entry.since_ns = clock_.MonotonicNs();
  --running_;
  if (state == State::kWantsTurn) ++wanting_;
  GiveTurns();
}

void Scheduler::AwaitTurn(std::unique_lock<std::mutex>& lock, Entry& entry) {
  entry.turn.wait(lock, [&] { return entry.state == State::kHasTurn; });
}

Status Scheduler::Entry::Pace(int64_t steps) {
  uncharged += steps;
  if (cancelled) return Status(Code::kCancelled, "the job was cancelled");
  if (options.deadline_ns != INT64_MAX && scheduler_.clock_.MonotonicNs() >= options.deadline_ns)
    return Status(Code::kDeadlineExceeded, "the job passed its deadline");
  if (uncharged < kTurnSteps || long_depth > 0) return OkStatus();
  std::unique_lock lock(scheduler_.mutex_);
  scheduler_.Charge(*this);
  if (scheduler_.wanting_ == 0) return OkStatus();
  Entry* best = scheduler_.Best();
  if (best == nullptr || !scheduler_.Before(*best, *this, scheduler_.clock_.MonotonicNs()))
    return OkStatus();
  scheduler_.LeaveTurn(*this, State::kWantsTurn);
  scheduler_.AwaitTurn(lock, *this);
  if (cancelled) return Status(Code::kCancelled, "the job was cancelled");
  return OkStatus();
}

void Scheduler::Entry::BeginLong() {
  if (++long_depth > 1) return;
  std::unique_lock lock(scheduler_.mutex_);
  scheduler_.Charge(*this);
  scheduler_.LeaveTurn(*this, State::kLong);
}

void Scheduler::Entry::EndLong() {
  if (--long_depth > 0) return;
  std::unique_lock lock(scheduler_.mutex_);
  state = State::kWantsTurn;
  since_ns = scheduler_.clock_.MonotonicNs();
  ++scheduler_.wanting_;
  scheduler_.GiveTurns();
  scheduler_.AwaitTurn(lock, *this);
}

}  // namespace ferry::vm
