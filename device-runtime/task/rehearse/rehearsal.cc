#include "device-runtime/task/rehearse/rehearsal.h"

#include <deque>

#include "common/sys/random.h"
#include "device-runtime/task/host.h"
#include "device-runtime/task/rehearse/alone.h"
#include "device-runtime/task/tables/fill_tables.h"
#include "pipeline/operator/operator.h"

namespace ferry::task {
namespace {

void Append(flow::Effects effects, Rehearsal::Happened* out) {
  for (flow::LeavingRow& row : effects.rows) out->rows.push_back(std::move(row));
  for (flow::LeavingMatch& match : effects.matches) out->matches.push_back(std::move(match));
  if (out->error.ok()) out->error = effects.error;
}

}  // namespace

MemoryFlow::MemoryFlow(std::unique_ptr<store::Outbox> outbox) : outbox_(std::move(outbox)) {
  flow::FlowOptions options;
  options.tables = &outbox_->tables();
  options.hash_key = kSimulatedHashKey;
  options.all_rows = options.all_matches = true;
  flow_ = std::make_unique<flow::Flow>(options);
}

Result<std::unique_ptr<MemoryFlow>> MemoryFlow::Create(
    std::shared_ptr<const flow::Definition> definition) {
  FERRY_ASSIGN_OR_RETURN(auto outbox, store::OpenOutbox(":memory:", sys::SystemRandom()));
  std::unique_ptr<MemoryFlow> out(new MemoryFlow(std::move(outbox)));
  FERRY_TRY(out->flow_->Use("", std::move(definition)));
  return out;
}

Status MemoryFlow::Commit() {
  return Write(&flow_->batch());
}

Status MemoryFlow::Write(table::Batch* batch) {
  if (batch == nullptr || batch->empty()) return OkStatus();
  table::Batch* const batches[] = {batch};
  const Status committed = outbox_->Commit(store::Changes{.tables = batches, .now_ms = now_ms_});
  batch->Clear();
  return committed;
}

Status MemoryFlow::OnEvent(const flow::EventPtr& event, flow::Effects* out) {
  now_ms_ = std::max(now_ms_, event->time_ms);
  flow_->OnEvent(event, event->time_ms, now_ms_, out);
  return Commit();
}

Status MemoryFlow::Emit(std::string_view source, const event::Row& row, flow::Effects* out) {
  FERRY_TRY(flow_->Emit("", source, row, row.time_ms, now_ms_, out));
  return Commit();
}

Status MemoryFlow::End(flow::Effects* out) {
  flow_->AdvanceEventTime(now_ms_ + operators::kMaxWindowMs, out);
  flow_->Flush(out);
  return Commit();
}

Result<std::unique_ptr<Rehearsal>> Rehearsal::Create(std::shared_ptr<const Program> program,
                                                     Instance* instance) {
  std::unique_ptr<Rehearsal> out(new Rehearsal(std::move(program), instance));
  FERRY_ASSIGN_OR_RETURN(out->flow_, MemoryFlow::Create(out->program_->spec.flow));
  FERRY_TRY(FillTables(*out->program_->package, *out->program_->spec.flow, out->flow_->store(),
                       sys::SystemClock().NowUnixMs()));
  instance->set_tables(&out->flow_->store().tables());
  return out;
}

Rehearsal::~Rehearsal() {
  instance_->set_tables(nullptr);
}

// Functions run one after the other; what they emit may start more.
void Rehearsal::Work(flow::Effects effects, Happened* out) {
  std::deque<flow::Start> waiting;
  const auto take = [&](flow::Effects now) {
    for (flow::Start& start : now.starts) waiting.push_back(std::move(start));
    Append(std::move(now), out);
  };
  take(std::move(effects));
  while (!waiting.empty()) {
    const flow::Start start = std::move(waiting.front());
    waiting.pop_front();
    if (out->runs.size() >= kMaxRehearsedRuns) {
      out->error =
          Status::Of(Code::kLimitExceeded, "{} runs of one event are the limit", kMaxRehearsedRuns);
      return;
    }
    FunctionRun ran{start.function.empty() ? program_->spec.entry : start.function,
                    instance_->Call(start), Status()};
    ran.stream_error = flow_->Write(ran.run.tables.get());
    for (const EmittedRow& one : ran.run.emitted) {
      flow::Effects more;
      const Status emitted = flow_->Emit(one.source, one.row, &more);
      if (ran.stream_error.ok()) ran.stream_error = emitted.ok() ? more.error : emitted;
      take(std::move(more));
    }
    out->runs.push_back(std::move(ran));
  }
}

Rehearsal::Happened Rehearsal::OnEvent(const flow::EventPtr& event) {
  Happened out;
  flow::Effects effects;
  out.error = flow_->OnEvent(event, &effects);
  Work(std::move(effects), &out);
  return out;
}

Rehearsal::Happened Rehearsal::End() {
  Happened out;
  flow::Effects effects;
  out.error = flow_->End(&effects);
  Work(std::move(effects), &out);
  return out;
}

// ---- cases

namespace {

using Results = std::map<std::string, std::vector<Json>>;

Status CompareFunctions(const Case& one, const Results& got) {
  for (const auto& [function, expected] : one.functions) {
    const auto found = got.find(function);
    const Json results = found == got.end() ? Json::array() : Json(found->second);
    if (results.size() != expected.size())
      return Status::Of(Code::kInvalidArgument, "{}: expected {} runs, got {}", function,
                        expected.size(), results.size());
    FERRY_TRY(CompareExpected(expected, results, one.tolerance).Context("{}", function));
  }
  return OkStatus();
}

}  // namespace

Status RehearseCase(const std::shared_ptr<const Program>& program, Instance* instance,
                    const Case& one, sys::Clock& clock, Latencies* latencies, EventOutcome* last) {
  FERRY_ASSIGN_OR_RETURN(const auto rehearsal, Rehearsal::Create(program, instance));
  Results results;
  Status streams, functions;
  const auto take = [&](Rehearsal::Happened happened) {
    if (streams.ok()) streams = happened.error;
    for (Rehearsal::FunctionRun& ran : happened.runs) {
      if (ran.run.error.ok()) {
        latencies->Add(ran.run.latency_ns);
        results[ran.function].push_back(ran.run.result);
      } else if (functions.ok()) {
        functions = ran.run.error.Context("{}", ran.function);
      }
      if (streams.ok()) streams = ran.stream_error;
      last->fired = true;
      last->error = ran.run.error;
      last->result = std::move(ran.run.result);
    }
  };
  for (const event::Event& event : one.events) {
    const auto stamped = std::make_shared<event::Event>(event);
    if (stamped->time_ms == 0) stamped->time_ms = clock.NowUnixMs();
    take(rehearsal->OnEvent(stamped));
  }
  take(rehearsal->End());
  if (!one.error.empty()) {
    if (last->error.ok())
      return Status::Of(Code::kInvalidArgument, "expected an error with \"{}\", got {}", one.error,
                        last->fired ? "a result" : "no run");
    if (last->error.message().find(one.error) == std::string::npos)
      return last->error.Context("expected an error with \"{}\"", one.error);
  } else {
    FERRY_TRY(functions);
  }
  FERRY_TRY(streams);
  FERRY_TRY(CompareFunctions(one, results));
  if (!one.expects) return OkStatus();
  return CompareExpected(one.expect, last->result, one.tolerance);
}

}  // namespace ferry::task
