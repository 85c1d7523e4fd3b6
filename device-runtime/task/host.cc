#include "device-runtime/task/host.h"

#include "common/crypto/hash.h"
#include "common/package/manifest.h"
#include "device-runtime/task/cases.h"
#include "device-runtime/task/durable/kept_outcome.h"
#include "device-runtime/task/instance.h"
#include "device-runtime/task/latency.h"
#include "device-runtime/task/outcome.h"
#include "device-runtime/task/program.h"
#include "pipeline/event/record.h"

namespace ferry::task {
namespace {

constexpr size_t kMaxListedFailures = 20;
constexpr double kNsPerMs = 1e6;

// What a case gave, to compare with what another version gives. Errors go by their code, as their
// texts name the version.
std::string OutputOf(const Instance::Run& run) {
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

// Runs one case; the Status says how it failed. `output`: what it gave; null: nobody asks.
Status RunCase(Instance* instance, const Case& one, sys::Clock& clock, Latencies* latencies,
               std::string* output = nullptr) {
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
  if (output != nullptr) *output = OutputOf(last);
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
          {"p99_ms", static_cast<double>(stats.p99_latency_ns) / kNsPerMs},
          {"streams", StreamsToJson(stats.streams)}};
}

Json StreamsToJson(const std::vector<graph::StreamStats>& streams) {
  Json out = Json::object();
  for (const graph::StreamStats& one : streams)
    out[one.stream] = {{"rows_in", one.rows_in}, {"rows_out", one.rows_out},
                       {"late", one.late},       {"refused", one.refused},
                       {"errors", one.errors},   {"last_error", one.last_error}};
  return out;
}

struct TaskHost::Impl {
  HostOptions options;
  sys::Clock* clock = nullptr;
  std::shared_ptr<const Program> program;
  std::unique_ptr<Instance> instance;
  HostStats stats;
  Latencies latencies{kLatencySamples};

  // The records of rows with "upload". One that no server takes is refused by itself; the first
  // error.
  Status MakeRecords(const std::vector<graph::Output>& rows, std::vector<store::Record>* records) {
    Status status;
    for (const graph::Output& row : rows) {
      if (!row.upload || options.outbox == nullptr) continue;
      store::Record record{row.stream, row.row.time_ms, WriteJson(row.row.fields)};
      Status fit = event::CheckRecord(record.stream, record.json);
      if (fit.ok()) {
        records->push_back(std::move(record));
        continue;
      }
      ++stats.rows_refused;
      if (status.ok()) status = fit.Context("a row of stream {}", row.stream);
    }
    return status;
  }

  // Of no run: rows that left by time.
  void Upload(const std::vector<graph::Output>& rows) {
    if (options.outbox == nullptr) return;
    std::vector<store::Record> records;
    Status status = MakeRecords(rows, &records);
    auto first = options.outbox->Append(records).Context("outbox");
    (first.ok() ? stats.rows_uploaded : stats.rows_refused) += static_cast<int64_t>(records.size());
    if (status.ok() && !first.ok()) status = first.status();
    if (!status.ok()) stats.last_error = status.ToString();
  }

  std::string task_name() const { return options.owner_prefix + program->package->manifest().name; }

  Result<std::unique_ptr<Instance>> FreshCopy() const {
    return Instance::Create(program, {clock, options.parallel, options.scheduler, task_name()});
  }

  // What a run of this event left before the process was killed; not `fired` when it did not run.
  EventOutcome RanBefore(uint64_t event) {
    EventOutcome out;
    if (event == 0 || options.outbox == nullptr) return out;
    const auto found = options.outbox->FindRun(event, task_name());
    if (!found.ok()) {
      out.fired = out.undone = true;
      out.error = found.status().Context("outbox");
    } else if (*found) {
      out = OutcomeFromText(**found);
    }
    return out;
  }

  // Counts a run; what it leaves waits for Commit.
  EventOutcome Finish(Instance::Run run, uint64_t event) {
    EventOutcome out;
    out.fired = true;
    out.latency_ns = run.latency_ns;
    ++stats.fired;
    if (run.error.ok())
      latencies.Add(run.latency_ns);
    else
      ++stats.errors;
    auto left = std::make_shared<store::TaskRun>();
    const Status fit = MakeRecords(run.rows, &left->records);
    out.stream_error = run.stream_error.ok() ? fit : run.stream_error;
    for (const Status& status : {out.stream_error, run.error})
      if (!status.ok()) stats.last_error = status.ToString();
    out.result = std::move(run.result);
    out.error = std::move(run.error);
    if (options.collect_rows) out.rows = std::move(run.rows);
    // Scripts are cancelled when their set closes.
    out.undone = out.error.code() == Code::kCancelled;
    if (options.outbox == nullptr || out.undone) return out;
    if (event != 0) {
      left->event = event;
      left->task = task_name();
      left->result = TextOf(out);
    }
    if (event != 0 || !left->records.empty()) out.run = std::move(left);
    return out;
  }

  Status Commit(std::span<EventOutcome* const> outcomes) {
    std::vector<store::TaskRun*> runs;
    for (EventOutcome* outcome : outcomes)
      if (outcome->run != nullptr) runs.push_back(outcome->run.get());
    if (runs.empty()) return OkStatus();
    if (Status status = options.outbox->Commit(runs).Context("outbox"); !status.ok()) {
      stats.last_error = status.ToString();
      return status;
    }
    for (EventOutcome* outcome : outcomes) {
      if (outcome->run == nullptr) continue;
      const Status& refused = outcome->run->refused;
      (refused.ok() ? stats.rows_uploaded : stats.rows_refused) +=
          static_cast<int64_t>(outcome->run->records.size());
      if (!refused.ok()) {
        stats.last_error = refused.ToString();
        if (outcome->stream_error.ok()) outcome->stream_error = refused.Context("outbox");
      }
      outcome->run = nullptr;
    }
    return OkStatus();
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
  event::StampArrival(impl_->clock->NowUnixMs(), &event);
  const auto shared = std::make_shared<const event::Event>(std::move(event));
  Instance::Run run = impl_->instance->OnEvent(shared);
  if (!run.fired) return {};
  EventOutcome out = impl_->Finish(std::move(run), 0);
  EventOutcome* const one[] = {&out};
  const Status committed = impl_->Commit(one);
  if (out.stream_error.ok()) out.stream_error = committed;
  out.run = nullptr;
  return out;
}

EventOutcome TaskHost::OnMatch(const trigger::Match& match) {
  const uint64_t event = match.events.back()->number;
  EventOutcome before = impl_->RanBefore(event);
  if (before.fired) return before;
  return impl_->Finish(impl_->instance->OnMatch(match), event);
}

Status TaskHost::Commit(std::span<EventOutcome* const> outcomes) {
  return impl_->Commit(outcomes);
}

void TaskHost::Advance() {
  std::vector<graph::Output> rows;
  impl_->instance->Advance(&rows);
  impl_->Upload(rows);
}

void TaskHost::Close() {
  std::vector<graph::Output> rows;
  impl_->instance->Flush(&rows);
  impl_->Upload(rows);
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

Json TaskHost::Simulate(const SimulationOptions& options) {
  const package::Package& package =
      options.cases_of != nullptr ? *options.cases_of : *impl_->program->package;
  Latencies latencies(kLatencySamples);
  Json failures = Json::array();
  Outputs outputs;
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
      std::string output;
      const Status status =
          RunCase(copy->get(), one, *impl_->clock, &latencies, options.outputs ? &output : nullptr);
      if (!status.ok()) fail(one.name, status.ToString());
      if (options.outputs) outputs.Add(one, std::move(output));
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
  if (options.outputs) std::move(outputs).WriteTo(&out);
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
  HostStats out = impl_->stats;
  out.inferences = impl_->instance->inferences();
  out.metrics = impl_->instance->metrics();
  out.counters = impl_->instance->counters();
  out.p50_latency_ns = impl_->latencies.Percentile(50);
  out.p99_latency_ns = impl_->latencies.Percentile(99);
  out.streams = impl_->instance->graph().stats();
  return out;
}

std::vector<graph::StreamStats> TaskHost::stream_stats() const {
  return impl_->instance->graph().stats();
}

}  // namespace ferry::task
