#include "device-runtime/task/rehearse/alone.h"

#include <deque>

#include "common/sys/random.h"
#include "device-runtime/task/latency.h"

namespace ferry::task {

Result<std::unique_ptr<Alone>> Alone::Create(std::shared_ptr<const flow::Definition> definition,
                                             sys::Clock& clock, bool collect, Run run) {
  std::unique_ptr<Alone> alone(new Alone(clock, collect, std::move(run)));
  FERRY_ASSIGN_OR_RETURN(alone->store_, store::OpenOutbox(":memory:", sys::SystemRandom()));
  flow::FlowOptions options;
  options.hash_key = kSimulatedHashKey;
  options.tables = &alone->store_->tables();
  options.all_rows = collect;
  alone->flow_ = std::make_unique<flow::Flow>(options);
  FERRY_TRY(alone->flow_->Use("", std::move(definition)));
  return alone;
}

void Alone::OnEvent(const flow::EventPtr& event, std::vector<EventOutcome>* out) {
  const int64_t now_ms = clock_.NowUnixMs();
  flow_->OnEvent(event, std::max(now_ms, event->time_ms), clock_.MonotonicNs() / kNsPerMs,
                 &effects_);
  Follow(out);
}

void Alone::Advance(std::vector<EventOutcome>* out) {
  flow_->Advance(clock_.NowUnixMs(), clock_.MonotonicNs() / kNsPerMs, &effects_);
  Follow(out);
}

void Alone::Flush(std::vector<EventOutcome>* out) {
  flow_->Flush(&effects_);
  Follow(out);
}

std::vector<graph::Output> Alone::TakeUploads() {
  return std::exchange(uploads_, {});
}

void Alone::TakeRows(EventOutcome* outcome) {
  for (flow::LeavingRow& row : effects_.rows) {
    if (row.output.upload) uploads_.push_back(row.output);
    if (!collect_) continue;
    (outcome != nullptr ? outcome->rows : kept_).push_back(std::move(row.output));
  }
  if (outcome != nullptr && outcome->stream_error.ok()) outcome->stream_error = effects_.error;
}

Status Alone::CommitTables(table::Batch* batch) {
  if (batch == nullptr || batch->empty()) return OkStatus();
  table::Batch* const one[] = {batch};
  Status committed = store_->Commit(store::Changes{.tables = one, .now_ms = clock_.NowUnixMs()});
  batch->Clear();
  return committed;
}

void Alone::Follow(std::vector<EventOutcome>* out) {
  std::deque<flow::Start> starts;
  const auto take = [&](EventOutcome* outcome) {
    TakeRows(outcome);
    for (flow::Start& start : effects_.starts) starts.push_back(std::move(start));
    effects_.Clear();
  };
  take(nullptr);
  for (size_t runs = 0; !starts.empty() && runs < kMaxAloneStarts; ++runs) {
    // What streams wrote is there for the function, and what it writes for those after it.
    Status stored = CommitTables(&flow_->batch());
    const flow::Start start = std::move(starts.front());
    starts.pop_front();
    EventOutcome outcome = run_(start);
    if (stored.ok()) stored = CommitTables(outcome.tables.get());
    outcome.stream_error = stored;
    outcome.rows = std::exchange(kept_, {});
    const int64_t now_ms = clock_.NowUnixMs();
    for (const EmittedRow& one : outcome.emitted) {
      const Status emitted = flow_->Emit("", one.source, one.row, std::max(now_ms, one.row.time_ms),
                                         clock_.MonotonicNs() / kNsPerMs, &effects_);
      if (outcome.stream_error.ok()) outcome.stream_error = emitted;
    }
    take(&outcome);
    out->push_back(std::move(outcome));
  }
  const Status stored = CommitTables(&flow_->batch());
  if (!out->empty() && out->back().stream_error.ok()) out->back().stream_error = stored;
}

}  // namespace ferry::task
