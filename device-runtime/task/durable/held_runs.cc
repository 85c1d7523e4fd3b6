#include "device-runtime/task/durable/held_runs.h"

#include "common/base/log.h"
#include "device-runtime/task/outcome.h"
#include "device-runtime/task/task_set.h"
#include "pipeline/store/outbox.h"

namespace ferry::task {
namespace {

constexpr int64_t kNsOfMs = 1'000'000;

void HandOn(HeldRun run) {
  TaskOutcome& outcome = *run.outcome;
  if (!outcome.outcome.undone) run.ticket->RunEnded();
  const bool known = !outcome.outcome.unknown;
  outcome.waits = std::move(run.ticket);
  if (known && run.options->on_outcome) run.options->on_outcome(std::move(outcome), *run.task);
}

}  // namespace

Ticket::Ticket(std::shared_ptr<Waiting> waiting, size_t bytes, size_t runs,
               std::function<void()> done)
    : waiting_(std::move(waiting)), bytes_(bytes), runs_(runs), done_(std::move(done)) {
  ++waiting_->events;
  waiting_->bytes += bytes_;
}

Ticket::~Ticket() {
  --waiting_->events;
  waiting_->bytes -= bytes_;
  if (runs_ == 0 && done_) done_();
}

HeldRuns::HeldRuns(sys::Clock& clock) : clock_(clock) {}
HeldRuns::~HeldRuns() = default;

void HeldRuns::Add(HeldRun run) {
  // It leaves nothing, and nothing is before it.
  if (runs_.empty() && run.outcome->outcome.run == nullptr) return HandOn(std::move(run));
  if (runs_.empty()) since_ns_ = clock_.MonotonicNs();
  quick_ = run.outcome->outcome.latency_ns < kQuickRunMs * kNsOfMs;
  runs_.push_back(std::move(run));
}

bool HeldRuns::due() const {
  return !quick_ || runs_.size() >= kMaxHeldRuns ||
         clock_.MonotonicNs() - since_ns_ >= kMaxHeldMs * kNsOfMs;
}

void HeldRuns::Settle() {
  std::vector<HeldRun> runs = std::exchange(runs_, {});
  for (size_t first = 0, end = 0; first < runs.size(); first = end) {
    PackageRunner& runner = *runs[first].task->runner;
    std::vector<EventOutcome*> outcomes;
    for (; end < runs.size() && runs[end].task->runner.get() == &runner; ++end)
      if (runs[end].outcome->outcome.run != nullptr)
        outcomes.push_back(&runs[end].outcome->outcome);
    const Status status = outcomes.empty() ? OkStatus() : runner.Commit(outcomes);
    if (!status.ok())
      LogWarn("task", "{} runs of {}: {}", outcomes.size(), runs[first].task->package,
              status.ToString());
    for (size_t k = first; k < end; ++k) {
      EventOutcome& outcome = runs[k].outcome->outcome;
      if (outcome.run != nullptr && outcome.run->event != 0) {
        runs_.push_back(std::move(runs[k]));
        continue;
      }
      if (outcome.run != nullptr && outcome.stream_error.ok()) outcome.stream_error = status;
      HandOn(std::move(runs[k]));
    }
  }
}

}  // namespace ferry::task
