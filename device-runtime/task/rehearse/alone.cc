#include "device-runtime/task/rehearse/alone.h"

#include <deque>

#include "common/sys/random.h"
#include "device-runtime/task/latency.h"
#include "pipeline/operator/operator.h"

namespace ferry::task {
namespace {

void Take(flow::Effects effects, std::vector<flow::Start>* starts, Alone::Happened* out) {
  for (flow::Start& start : effects.starts) starts->push_back(std::move(start));
  for (flow::LeavingRow& row : effects.rows) out->rows.push_back(std::move(row));
  for (flow::LeavingMatch& match : effects.matches) out->matches.push_back(std::move(match));
}

}  // namespace

Result<std::unique_ptr<Alone>> Alone::Create(AloneOptions options) {
  std::unique_ptr<Alone> alone(new Alone(std::move(options)));
  FERRY_ASSIGN_OR_RETURN(alone->store_, store::OpenOutbox(":memory:", sys::SystemRandom()));
  flow::FlowOptions flow;
  flow.hash_key = kSimulatedHashKey;
  flow.tables = &alone->store_->tables();
  flow.all_rows = flow.all_matches = alone->options_.all;
  alone->flow_ = std::make_unique<flow::Flow>(flow);
  FERRY_TRY(alone->flow_->Use("", alone->options_.definition));
  return alone;
}

Status Alone::Add(const std::string& task, std::shared_ptr<const flow::Definition> definition) {
  return flow_->Use(task, std::move(definition));
}

int64_t Alone::HostMs() const {
  return options_.clock == nullptr ? recorded_ms_ : options_.clock->MonotonicNs() / kNsPerMs;
}

int64_t Alone::ArrivalOf(int64_t time_ms) const {
  return options_.clock == nullptr ? time_ms : std::max(options_.clock->NowUnixMs(), time_ms);
}

Alone::Happened Alone::OnEvent(const flow::EventPtr& event) {
  recorded_ms_ = std::max(recorded_ms_, event->time_ms);
  Happened out;
  flow::Effects effects;
  flow_->OnEvent(event, ArrivalOf(event->time_ms), HostMs(), &effects);
  Follow(std::move(effects), &out);
  return out;
}

Result<Alone::Happened> Alone::Emit(std::string_view source, const event::Row& row) {
  Happened out;
  flow::Effects effects;
  FERRY_TRY(flow_->Emit("", source, row, ArrivalOf(row.time_ms), HostMs(), &effects));
  Follow(std::move(effects), &out);
  return out;
}

Alone::Happened Alone::Advance() {
  Happened out;
  flow::Effects effects;
  flow_->Advance(ArrivalOf(recorded_ms_), HostMs(), &effects);
  Follow(std::move(effects), &out);
  return out;
}

Alone::Happened Alone::End() {
  Happened out;
  flow::Effects effects;
  if (options_.clock == nullptr)
    flow_->AdvanceEventTime(recorded_ms_ + operators::kMaxWindowMs, &effects);
  flow_->Flush(&effects);
  Follow(std::move(effects), &out);
  return out;
}

Status Alone::CommitTables(table::Batch* batch) {
  if (batch == nullptr || batch->empty()) return OkStatus();
  table::Batch* const one[] = {batch};
  Status committed =
      store_->Commit(store::Changes{.tables = one, .now_ms = ArrivalOf(recorded_ms_)});
  batch->Clear();
  return committed;
}

// What the function wrote is there for those after it; what it emits may start more.
void Alone::Run(const flow::Start& start, Happened* out, std::vector<flow::Start>* more) {
  FunctionRun ran{start.function, options_.run(start)};
  EventOutcome& outcome = ran.outcome;
  outcome.stream_error = CommitTables(outcome.tables.get());
  for (const EmittedRow& one : outcome.emitted) {
    flow::Effects effects;
    Status emitted =
        flow_->Emit("", one.source, one.row, ArrivalOf(one.row.time_ms), HostMs(), &effects);
    if (emitted.ok()) emitted = effects.error;
    if (emitted.ok()) emitted = CommitTables(&flow_->batch());
    if (outcome.stream_error.ok()) outcome.stream_error = emitted;
    Take(std::move(effects), more, out);
  }
  out->runs.push_back(std::move(ran));
}

void Alone::Follow(flow::Effects effects, Happened* out) {
  out->error = effects.error;
  std::vector<flow::Start> more;
  Take(std::move(effects), &more, out);
  // What streams wrote is there for the functions.
  const Status stored = CommitTables(&flow_->batch());
  if (out->error.ok()) out->error = stored;
  std::deque<flow::Start> waiting;
  for (;;) {
    for (flow::Start& start : more) {
      if (!start.owner.empty()) continue;  // of a task beside this one
      if (options_.run)
        waiting.push_back(std::move(start));
      else
        out->starts.push_back(std::move(start));
    }
    more.clear();
    if (waiting.empty()) return;
    if (out->runs.size() >= kMaxAloneRuns) {
      out->error =
          Status::Of(Code::kLimitExceeded, "{} runs of one event are the limit", kMaxAloneRuns);
      return;
    }
    const flow::Start start = std::move(waiting.front());
    waiting.pop_front();
    Run(start, out, &more);
  }
}

}  // namespace ferry::task
