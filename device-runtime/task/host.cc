#include "device-runtime/task/host.h"

#include "common/package/manifest.h"
#include "device-runtime/task/cases.h"
#include "device-runtime/task/instance.h"
#include "device-runtime/task/latency.h"
#include "device-runtime/task/outcome.h"
#include "device-runtime/task/program.h"
#include "pipeline/event/record.h"

namespace ferry::task {
namespace {

constexpr size_t kMaxListedFailures = 20;
constexpr double kNsPerMs = 1e6;

// Runs one case; the Status says how it failed.
Status RunCase(Instance* instance, const Case& one, sys::Clock& clock, Latencies* latencies) {
  instance->ResetTrigger();
  Instance::Run last;
  for (const event::Event& event : one.events) {
    const auto stamped = std::make_shared<event::Event>(event);
    if (stamped->time_ms == 0) stamped->time_ms = clock.NowUnixMs();
    Instance::Run run = instance->OnEvent(stamped);
    if (!run.fired) continue;
    if (run.error.ok()) latencies->Add(run.latency_ns);
    last = std::move(run);
  }
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
  return CompareExpected(one.expect, last.result, one.tolerance);
}

}  // namespace

Json StatsToJson(const HostStats& stats) {
  return {{"events", stats.events},
          {"fired", stats.fired},
          {"errors", stats.errors},
          {"inferences", stats.inferences},
          {"rows_uploaded", stats.rows_uploaded},
          {"rows_refused", stats.rows_refused},
          {"last_error", stats.last_error},
          {"metrics", stats.metrics},
          {"p50_ms", static_cast<double>(stats.p50_latency_ns) / kNsPerMs},
          {"p99_ms", static_cast<double>(stats.p99_latency_ns) / kNsPerMs}};
}

struct TaskHost::Impl {
  HostOptions options;
  sys::Clock* clock = nullptr;
  std::shared_ptr<const Program> program;
  std::unique_ptr<Instance> instance;
  HostStats stats;
  Latencies latencies{kLatencySamples};

  // Rows with "upload" go to the outbox, all of one call or none; but one that no server takes is
  // refused by itself. The first error.
  Status Upload(const std::vector<graph::Output>& rows) {
    if (options.outbox == nullptr) return OkStatus();
    std::vector<store::Record> records;
    Status status;
    for (const graph::Output& row : rows) {
      if (!row.upload) continue;
      store::Record record{row.stream, row.row.time_ms, WriteJson(row.row.fields)};
      Status fit = event::CheckRecord(record.stream, record.json);
      if (fit.ok()) {
        records.push_back(std::move(record));
        continue;
      }
      ++stats.rows_refused;
      if (status.ok()) status = fit.Context("a row of stream {}", row.stream);
    }
    auto first = options.outbox->Append(records).Context("outbox");
    (first.ok() ? stats.rows_uploaded : stats.rows_refused) += static_cast<int64_t>(records.size());
    if (status.ok() && !first.ok()) status = first.status();
    if (!status.ok()) stats.last_error = status.ToString();
    return status;
  }

  Result<std::unique_ptr<Instance>> FreshCopy() const {
    return Instance::Create(program, {clock, options.parallel, options.scheduler,
                                      options.owner_prefix + program->package->manifest().name});
  }

  // Counts a run and sends its rows on.
  EventOutcome Finish(Instance::Run run) {
    EventOutcome out;
    out.fired = true;
    out.latency_ns = run.latency_ns;
    ++stats.fired;
    if (run.error.ok())
      latencies.Add(run.latency_ns);
    else
      ++stats.errors;
    const Status uploaded = Upload(run.rows);
    out.stream_error = run.stream_error.ok() ? uploaded : run.stream_error;
    for (const Status& status : {out.stream_error, run.error})
      if (!status.ok()) stats.last_error = status.ToString();
    out.result = std::move(run.result);
    out.error = std::move(run.error);
    if (options.collect_rows) out.rows = std::move(run.rows);
    return out;
  }
};

TaskHost::TaskHost(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TaskHost::~TaskHost() = default;

Result<std::unique_ptr<TaskHost>> TaskHost::Load(std::shared_ptr<const package::Package> package,
                                                 const HostOptions& options) {
  auto impl = std::make_unique<Impl>();
  impl->options = options;
  impl->clock = options.clock != nullptr ? options.clock : &sys::SystemClock();
  FERRY_ASSIGN_OR_RETURN(impl->program, LoadProgram(std::move(package)));
  const package::Manifest& manifest = impl->program->package->manifest();
  auto instance = impl->FreshCopy().Context("package {} {}", manifest.name, manifest.version);
  FERRY_ASSIGN_OR_RETURN(impl->instance, std::move(instance));
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

const trigger::Trigger* TaskHost::trigger() const {
  return &impl_->program->spec.trigger;
}

EventOutcome TaskHost::OnEvent(event::Event event) {
  ++impl_->stats.events;
  if (event.time_ms == 0) event.time_ms = impl_->clock->NowUnixMs();
  const auto shared = std::make_shared<const event::Event>(std::move(event));
  Instance::Run run = impl_->instance->OnEvent(shared);
  return run.fired ? impl_->Finish(std::move(run)) : EventOutcome();
}

EventOutcome TaskHost::OnMatch(const trigger::Match& match) {
  return impl_->Finish(impl_->instance->OnMatch(match));
}

void TaskHost::Advance() {
  std::vector<graph::Output> rows;
  impl_->instance->Advance(&rows);
  (void)impl_->Upload(rows);  // counted in the stats
}

void TaskHost::Close() {
  std::vector<graph::Output> rows;
  impl_->instance->Flush(&rows);
  (void)impl_->Upload(rows);  // counted in the stats
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
    const Status status = RunCase(copy->get(), one, *impl_->clock, &latencies);
    if (!status.ok()) return failed(status, one.name + ": ");
  }
  return OkStatus();
}

Json TaskHost::Simulate() {
  const package::Package& package = *impl_->program->package;
  Latencies latencies(kLatencySamples);
  Json failures = Json::array();
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
      const Status status = RunCase(copy->get(), one, *impl_->clock, &latencies);
      if (!status.ok()) fail(one.name, status.ToString());
    }
  Json out = {{"package", name()},
              {"version", version()},
              {"passed", failed == 0},
              {"cases", count},
              {"failed", failed},
              {"failures", failures},
              {"p50_ms", static_cast<double>(latencies.Percentile(50)) / kNsPerMs},
              {"p99_ms", static_cast<double>(latencies.Percentile(99)) / kNsPerMs}};
  if (!failures.empty())
    out["first_failure"] = {{"name", failures[0]["case"]}, {"text", failures[0]["error"]}};
  return out;
}

Result<std::shared_ptr<const llm::Model>> TaskHost::LanguageModel(std::string_view name) {
  return impl_->program->LanguageModel(name);
}

HostStats TaskHost::stats() const {
  HostStats out = impl_->stats;
  out.inferences = impl_->instance->inferences();
  out.metrics = impl_->instance->metrics();
  out.p50_latency_ns = impl_->latencies.Percentile(50);
  out.p99_latency_ns = impl_->latencies.Percentile(99);
  return out;
}

std::vector<graph::StreamStats> TaskHost::stream_stats() const {
  return impl_->instance->graph().stats();
}

}  // namespace ferry::task
