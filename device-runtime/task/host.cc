#include "device-runtime/task/host.h"

#include <mutex>

#include "common/crypto/hash.h"
#include "common/package/manifest.h"
#include "device-runtime/task/instance.h"
#include "device-runtime/task/latency.h"
#include "device-runtime/task/outcome.h"
#include "device-runtime/task/program.h"
#include "device-runtime/task/rehearse/alone.h"
#include "device-runtime/task/rehearse/cases.h"
#include "device-runtime/task/rehearse/details.h"
#include "device-runtime/task/rehearse/rehearsal.h"
#include "device-runtime/task/tables/fill_tables.h"

namespace ferry::task {
namespace {

constexpr size_t kMaxListedFailures = 20;
// What a case gave, to compare with what another version gives. Errors go by their code, as their
// texts name the version.
std::string OutputOf(const EventOutcome& run) {
  if (!run.fired) return "error: not started";
  if (!run.error.ok()) return fmt::format("error: {}", InfoOf(run.error.code()).name);
  std::string text = WriteJson(run.result);
  if (text.size() <= kMaxCaseOutputBytes) return text;
  return "sha256:" + crypto::Sha256Hex(AsBytes(text));
}

// The outputs of a report, as many as fit.
class Outputs {
 public:
  void Add(const Case& one, std::string output) {
    bytes_ += one.name.size() + output.size();
    if (bytes_ > kMaxCaseOutputsBytes) {
      ++left_out_;
      return;
    }
    Json item = {{"case", one.name}, {"output", std::move(output)}};
    if (one.tolerance != 0) item["tolerance"] = one.tolerance;
    list_.push_back(std::move(item));
  }
  void WriteTo(Json* report) && {
    (*report)["outputs"] = std::move(list_);
    if (left_out_ > 0) (*report)["outputs_left_out"] = left_out_;
  }

 private:
  Json list_ = Json::array();
  size_t bytes_ = 0;
  int64_t left_out_ = 0;
};

// Runs one case in a copy of the task; the Status says how it failed. `seen`: what ran last.
Status RunCase(const std::shared_ptr<const Program>& program, Instance* instance, const Case& one,
               sys::Clock& clock, Latencies* latencies, EventOutcome* seen) {
  if (!one.functions.empty()) return RehearseCase(program, instance, one, clock, latencies, seen);
  // Its streams and rules have seen nothing, so that one case does not finish another's.
  FERRY_ASSIGN_OR_RETURN(const auto rehearsal, Rehearsal::Create(program, instance, &clock));
  EventOutcome& last = *seen;
  const auto take = [&](Rehearsal::Happened happened) {
    for (Rehearsal::FunctionRun& ran : happened.runs) {
      if (ran.outcome.error.ok()) latencies->Add(ran.outcome.latency_ns);
      last = std::move(ran.outcome);
    }
  };
  for (const event::Event& event : one.events) {
    const auto stamped = std::make_shared<event::Event>(event);
    if (stamped->time_ms == 0) stamped->time_ms = clock.NowUnixMs();
    take(rehearsal->OnEvent(stamped));
  }
  if (!last.fired) take(rehearsal->End());  // what its windows lead to
  if (!last.fired) return Status(Code::kFailedPrecondition, "the events did not start the task");
  if (!one.error.empty()) {
    if (last.error.ok())
      return Status::Of(Code::kInvalidArgument, "expected an error with \"{}\", got a result",
                        one.error);
    if (last.error.message().find(one.error) != std::string::npos) return OkStatus();
    return last.error.Context("expected an error with \"{}\"", one.error);
  }
  FERRY_TRY(last.error);
  FERRY_TRY(last.stream_error);
  if (!one.expects) return OkStatus();
  return CompareExpected(one.expect, last.result, one.tolerance);
}

}  // namespace

struct TaskHost::Impl {
  HostOptions options;
  sys::Clock* clock = nullptr;
  std::shared_ptr<const Program> program;
  std::unique_ptr<Instance> instance;
  std::unique_ptr<Alone> alone;  // null in a set
  mutable std::mutex mutex;      // of the two below
  HostStats stats;
  Latencies latencies{kLatencySamples};

  std::string task_name() const { return options.owner_prefix + program->package->manifest().name; }

  Result<std::unique_ptr<Instance>> FreshCopy() const {
    return Instance::Create(program, {clock, options.parallel, options.scheduler, task_name(),
                                      options.tables, options.print});
  }

  void Note(const Status& status) {
    const std::lock_guard lock(mutex);
    if (!status.ok()) stats.last_error = status.ToString();
  }

  // Counts a run.
  EventOutcome Finish(Instance::Run run) {
    EventOutcome out = OutcomeOf(std::move(run));
    // Scripts are cancelled when their set closes.
    out.undone = out.error.code() == Code::kCancelled;
    const std::lock_guard lock(mutex);
    ++stats.fired;
    if (out.error.ok()) {
      latencies.Add(out.latency_ns);
    } else {
      ++stats.errors;
      stats.last_error = out.error.ToString();
    }
    return out;
  }

  // Of a task by itself: rows for the tunnel. One that no server takes is refused by itself; the
  // first error.
  Status Upload(const std::vector<flow::LeavingRow>& rows) {
    std::vector<store::Record> records;
    for (const flow::LeavingRow& row : rows)
      if (const graph::Output& one = row.output; one.upload)
        records.push_back({one.stream, one.row.time_ms, WriteJson(one.row.fields)});
    if (options.outbox == nullptr || records.empty()) return OkStatus();
    std::vector<store::RefusedRecord> refused;
    const auto first = options.outbox->Append(records, &refused).Context("outbox");
    const auto bad = static_cast<int64_t>(first.ok() ? refused.size() : records.size());
    Status status = first.status();
    if (status.ok() && !refused.empty())
      status = refused[0].why.Context("a row of stream {}", records[refused[0].at].stream);
    Note(status);
    const std::lock_guard lock(mutex);
    stats.rows_refused += bad;
    stats.rows_uploaded += static_cast<int64_t>(records.size()) - bad;
    return status;
  }
};

TaskHost::TaskHost(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TaskHost::~TaskHost() = default;

Result<std::unique_ptr<TaskHost>> TaskHost::Load(std::shared_ptr<const package::Package> package,
                                                 const HostOptions& options) {
  auto impl = std::make_unique<Impl>();
  impl->options = options;
  impl->clock = options.clock != nullptr ? options.clock : &sys::SystemClock();
  FERRY_ASSIGN_OR_RETURN(impl->program, LoadProgram(std::move(package), options.exclusive));
  const package::Manifest& manifest = impl->program->package->manifest();
  auto instance = impl->FreshCopy().Context("package {} {}", manifest.name, manifest.version);
  FERRY_ASSIGN_OR_RETURN(impl->instance, std::move(instance));
  if (options.alone) {
    auto run = [one = impl.get()](const flow::Start& start) {
      return one->Finish(one->instance->Call(start));
    };
    FERRY_ASSIGN_OR_RETURN(impl->alone, Alone::Create({impl->program->spec.flow, impl->clock,
                                                       options.collect_rows, std::move(run)}));
    impl->instance->set_tables(&impl->alone->store().tables());
    FERRY_TRY(task::FillTables(*impl->program->package, *impl->program->spec.flow,
                               impl->alone->store(), impl->clock->NowUnixMs()));
  }
  return std::unique_ptr<TaskHost>(new TaskHost(std::move(impl)));
}

Result<std::unique_ptr<TaskHost>> TaskHost::LoadFile(sys::FileSystem& fs, const std::string& path,
                                                     const HostOptions& options) {
  FERRY_ASSIGN_OR_RETURN(package::Package package, package::Package::OpenFile(fs, path));
  return Load(std::make_shared<const package::Package>(std::move(package)), options);
}

const std::string& TaskHost::name() const {
  return impl_->program->package->manifest().name;
}
const std::string& TaskHost::version() const {
  return impl_->program->package->manifest().version;
}

std::shared_ptr<const flow::Definition> TaskHost::definition() const {
  return impl_->program->spec.flow;
}

EventOutcome TaskHost::Run(const flow::Start& start) {
  return impl_->Finish(impl_->instance->Call(start));
}

void TaskHost::Forget() {
  impl_->instance->Forget();
  const std::lock_guard lock(impl_->mutex);
  impl_->stats.last_error.clear();
}

Status TaskHost::FillTables(store::Outbox& outbox) {
  return task::FillTables(*impl_->program->package, *impl_->program->spec.flow, outbox,
                          impl_->clock->NowUnixMs());
}

EventOutcome TaskHost::OnEvent(event::Event event) {
  {
    const std::lock_guard lock(impl_->mutex);
    ++impl_->stats.events;
  }
  event::StampArrival(impl_->clock->NowUnixMs(), &event);
  Alone::Happened happened =
      impl_->alone->OnEvent(std::make_shared<const event::Event>(std::move(event)));
  const Status uploaded = impl_->Upload(happened.rows);
  EventOutcome out;
  if (!happened.runs.empty()) {
    out = std::move(happened.runs.back().outcome);
    happened.runs.pop_back();
  }
  for (const Alone::FunctionRun& ran : happened.runs) {
    if (out.error.ok() && !ran.outcome.error.ok()) out.error = ran.outcome.error;
    if (out.stream_error.ok()) out.stream_error = ran.outcome.stream_error;
  }
  if (out.fired && out.stream_error.ok()) out.stream_error = uploaded;
  if (impl_->options.collect_rows)
    for (flow::LeavingRow& row : happened.rows) out.rows.push_back(std::move(row.output));
  return out;
}

void TaskHost::Advance() {
  (void)impl_->Upload(impl_->alone->Advance().rows);
}

void TaskHost::Close() {
  (void)impl_->Upload(impl_->alone->End().rows);
}

Status TaskHost::Probe() {
  const package::Package& package = *impl_->program->package;
  const auto failed = [&package](const Status& status, std::string_view place) {
    return Status::Of(Code::kProbeFailed, "probe of {} {}: {}{}", package.manifest().name,
                      package.manifest().version, place, status.ToString());
  };
  auto cases = ReadCases(package, package.manifest().probe);
  if (!cases.ok()) return failed(cases.status(), "");
  if (cases->empty()) return OkStatus();
  auto copy = impl_->FreshCopy();
  if (!copy.ok()) return failed(copy.status(), "");
  Latencies latencies(kLatencySamples);
  for (const Case& one : *cases) {
    EventOutcome seen;
    const Status status =
        RunCase(impl_->program, copy->get(), one, *impl_->clock, &latencies, &seen);
    if (!status.ok()) return failed(status, one.name + ": ");
  }
  return OkStatus();
}

Json TaskHost::Simulate(const SimulationOptions& options) {
  const package::Package& package =
      options.cases_of != nullptr ? *options.cases_of : *impl_->program->package;
  Latencies latencies(kLatencySamples);
  Json failures = Json::array();
  Outputs outputs;
  Json details = Json::array();
  int64_t count = 0, failed = 0;
  const auto fail = [&](const std::string& name, const std::string& text) {
    ++failed;
    if (failures.size() < kMaxListedFailures) failures.push_back({{"case", name}, {"error", text}});
  };
  auto cases = ReadCases(package, package.manifest().simulation);
  auto copy = impl_->FreshCopy();
  if (!cases.ok())
    fail("cases", cases.status().ToString());
  else if (cases->empty())
    fail("cases", "the package brings no simulation cases");
  else if (!copy.ok())
    fail("start", copy.status().ToString());
  else
    for (const Case& one : *cases) {
      ++count;
      EventOutcome seen;
      const Status status =
          RunCase(impl_->program, copy->get(), one, *impl_->clock, &latencies, &seen);
      if (!status.ok()) fail(one.name, status.ToString());
      if (options.outputs) outputs.Add(one, OutputOf(seen));
      if (options.details && details.size() < kMaxDetailedCases)
        details.push_back(DetailsOf(one, status, seen, options.take_printed));
    }
  Json out = {
      {"package", name()},
      {"version", version()},
      {"passed", failed == 0},
      {"cases", count},
      {"failed", failed},
      {"failures", failures},
      {"p50_ms", static_cast<double>(latencies.Percentile(50)) / static_cast<double>(kNsPerMs)},
      {"p99_ms", static_cast<double>(latencies.Percentile(99)) / static_cast<double>(kNsPerMs)}};
  if (!failures.empty())
    out["first_failure"] = {{"name", failures[0]["case"]}, {"text", failures[0]["error"]}};
  if (options.outputs) std::move(outputs).WriteTo(&out);
  if (options.details) out["details"] = std::move(details);
  return out;
}

Result<std::shared_ptr<const llm::Model>> TaskHost::LanguageModel(std::string_view name) {
  return impl_->program->LanguageModel(name);
}

Result<Bytes> TaskHost::ReadFile(std::string_view name) {
  FERRY_ASSIGN_OR_RETURN(const ByteView bytes, impl_->program->File(name));
  return ToBytes(bytes);
}

HostStats TaskHost::stats() const {
  HostStats out;
  {
    const std::lock_guard lock(impl_->mutex);
    out = impl_->stats;
    out.p50_latency_ns = impl_->latencies.Percentile(50);
    out.p99_latency_ns = impl_->latencies.Percentile(99);
  }
  out.inferences = impl_->instance->inferences();
  out.metrics = impl_->instance->metrics();
  out.counters = impl_->instance->counters();
  if (impl_->alone != nullptr) AddFlowStats(impl_->alone->stats(), &out);
  return out;
}

}  // namespace ferry::task
