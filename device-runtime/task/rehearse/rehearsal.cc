#include "device-runtime/task/rehearse/rehearsal.h"

#include "device-runtime/task/host.h"
#include "device-runtime/task/tables/fill_tables.h"

namespace ferry::task {
EventOutcome OutcomeOf(Instance::Run run) {
  EventOutcome out;
  out.fired = true;
  out.result = std::move(run.result);
  out.error = std::move(run.error);
  out.latency_ns = run.latency_ns;
  out.emitted = std::move(run.emitted);
  out.tables = std::move(run.tables);
  return out;
}

Result<std::unique_ptr<Rehearsal>> Rehearsal::Create(std::shared_ptr<const Program> program,
                                                     Instance* instance, sys::Clock* clock) {
  std::unique_ptr<Rehearsal> out(new Rehearsal(std::move(program), instance));
  const Program& loaded = *out->program_;
  FERRY_ASSIGN_OR_RETURN(out->alone_, Alone::Create({loaded.spec.flow, clock, clock == nullptr,
                                                     [instance](const flow::Start& start) {
                                                       return OutcomeOf(instance->Call(start));
                                                     }}));
  const sys::Clock& now = clock == nullptr ? sys::SystemClock() : *clock;
  FERRY_TRY(FillTables(*loaded.package, *loaded.spec.flow, out->alone_->store(), now.NowUnixMs()));
  instance->set_tables(&out->alone_->store().tables());
  return out;
}

Rehearsal::~Rehearsal() {
  instance_->set_tables(nullptr);
}

Rehearsal::Happened Rehearsal::Named(Happened happened) const {
  for (FunctionRun& ran : happened.runs)
    if (ran.function.empty()) ran.function = program_->spec.entry;
  return happened;
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
      if (ran.outcome.error.ok()) {
        latencies->Add(ran.outcome.latency_ns);
        results[ran.function].push_back(ran.outcome.result);
      } else if (functions.ok()) {
        functions = ran.outcome.error.Context("{}", ran.function);
      }
      if (streams.ok()) streams = ran.outcome.stream_error;
      last->fired = true;
      last->error = ran.outcome.error;
      last->result = std::move(ran.outcome.result);
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
