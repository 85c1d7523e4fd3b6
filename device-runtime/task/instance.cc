#include "device-runtime/task/instance.h"

#include "common/base/log.h"
#include "common/package/manifest.h"
#include "device-runtime/bindings/modules.h"
#include "device-runtime/task/latency.h"

namespace ferry::task {
namespace {

// A limit stops a script anywhere, in the middle of changing its own variables: such an isolate is
// not used again.
bool LeavesHalfDone(Code code) {
  switch (code) {
    case Code::kScriptTime:
    case Code::kScriptMemory:
    case Code::kScriptDepth:
    case Code::kOutOfMemory:
    case Code::kCancelled:
    case Code::kDeadlineExceeded:
    case Code::kLimitExceeded:
      return true;
    default:
      return false;
  }
}

}  // namespace

Instance::Instance(std::shared_ptr<const Program> program, Ground ground)
    : program_(std::move(program)),
      ground_(std::move(ground)),
      budget_(std::make_shared<tensor::MemoryBudget>(program_->spec.limits.memory_bytes)) {}

Instance::~Instance() = default;

Result<std::unique_ptr<Instance>> Instance::Create(std::shared_ptr<const Program> program,
                                                   Ground ground) {
  std::unique_ptr<Instance> instance(new Instance(std::move(program), std::move(ground)));
  FERRY_TRY(instance->Start());
  return instance;
}

Status Instance::Start() {
  isolate_ = nullptr;
  const TaskSpec& spec = program_->spec;
  vm::Isolate::Options options;
  options.limits.steps = spec.limits.steps;
  options.limits.memory_bytes = spec.limits.memory_bytes;
  options.limits.depth = static_cast<int>(spec.limits.depth);
  options.limits.wall_ns = spec.limits.wall_ms * kNsPerMs;
  options.limits.output_bytes = spec.limits.output_bytes;
  options.wall_clock = spec.wall_clock;
  options.loader = [program = program_.get()](std::string_view module) {
    return program->Module(module);
  };
  const std::string room = "task " + program_->package->manifest().name;
  options.print = ground_.print;
  if (!options.print)
    options.print = [room](std::string_view text) {
      if (text.ends_with('\n')) text.remove_suffix(1);
      LogInfo(room, "{}", text);
    };
  options.modules = bindings::AllModules();
  options.host = static_cast<bindings::Host*>(this);
  FERRY_ASSIGN_OR_RETURN(auto isolate, vm::Isolate::Create(std::move(options)));
  emitted_.clear();
  run_time_ms_ = ground_.clock->NowUnixMs();
  isolate_ = std::move(isolate);
  const Status imported = InTurn(INT64_MAX, [&] {
                            return isolate_->Import(spec.module).status();
                          }).Context("{}", spec.script);
  isolate = std::move(isolate_);
  FERRY_TRY(imported);
  if (spec.flow->trigger)
    FERRY_TRY(isolate->GetGlobal(spec.module, spec.entry).Context("entry of {}", spec.script));
  for (const std::string& function : spec.flow->Functions())
    FERRY_TRY(isolate->GetGlobal(spec.module, function).Context("a function of {}", spec.script));
  isolate_ = std::move(isolate);
  return OkStatus();
}

Status Instance::InTurn(int64_t deadline_ns, const std::function<Status()>& work) {
  if (ground_.scheduler == nullptr) return work();
  const TaskSchedule& schedule = program_->spec.schedule;
  vm::JobOptions options;
  options.owner = ground_.owner;
  options.weight = schedule.share;
  options.priority = schedule.priority;
  options.deadline_ns = deadline_ns;
  return ground_.scheduler->RunHere(std::move(options), [&](vm::Pacer& pacer) {
    isolate_->SetPacer(&pacer);
    const Status status = work();
    isolate_->SetPacer(nullptr);
    return status;
  });
}

Result<Json> Instance::CallFunction(const flow::Start& start) {
  if (isolate_ == nullptr) FERRY_TRY(Start().Context("starting again"));
  // Of others the program was checked.
  if (start.call != 0 && !isolate_->GetGlobal(program_->spec.module, start.function).ok())
    return Status::Of(Code::kNotFound, "{} has no function \"{}\"", program_->spec.script,
                      start.function);
  emitted_.clear();
  run_time_ms_ = flow::TimeOf(start);
  const Json args[] = {flow::ArgumentOf(start)};
  const TaskSpec& spec = program_->spec;
  const int64_t deadline_ms = spec.schedule.deadline_ms;
  const int64_t deadline_ns =
      deadline_ms > 0 ? ground_.clock->MonotonicNs() + deadline_ms * kNsPerMs : INT64_MAX;
  Result<Json> result = Json();
  tables_ = nullptr;
  running_ = true;
  const Status turn = InTurn(deadline_ns, [&] {
    result =
        isolate_->CallJson(spec.module, start.function.empty() ? spec.entry : start.function, args);
    return OkStatus();
  });
  running_ = false;
  if (!turn.ok()) return turn;
  if (!result.ok() && LeavesHalfDone(result.code())) isolate_ = nullptr;
  return result;
}

void Instance::Forget() {
  isolate_ = nullptr;
  emitted_.clear();
  tables_ = nullptr;
}

Instance::Run Instance::Call(const flow::Start& start) {
  Run run;
  const int64_t start_ns = ground_.clock->MonotonicNs();
  auto result = CallFunction(start);
  run.latency_ns = ground_.clock->MonotonicNs() - start_ns;
  if (result.ok()) {
    run.result = std::move(*result);
    run.emitted = std::move(emitted_);
  } else {
    run.error = result.status();
  }
  if (run.error.ok() && tables_ != nullptr && !tables_->empty()) run.tables = std::move(tables_);
  tables_ = nullptr;
  emitted_.clear();
  return run;
}

Json Instance::metrics() const {
  const std::lock_guard lock(metrics_mutex_);
  return metrics_.ToJson();
}

std::vector<std::string> Instance::counters() const {
  const std::lock_guard lock(metrics_mutex_);
  return metrics_.Counters();
}

Result<std::shared_ptr<const engine::Model>> Instance::LoadModel(std::string_view name) {
  const auto found = program_->models.find(std::string(name));
  if (found != program_->models.end()) return found->second;
  return Status::Of(Code::kNotFound, "the task has no model \"{}\"", name);
}

Result<std::shared_ptr<const llm::Model>> Instance::LoadLanguageModel(std::string_view name) {
  return program_->LanguageModel(name);
}

std::vector<std::string> Instance::FileNames() {
  return NamesOfFiles(*program_->package, program_->exclusive.get());
}

Result<ByteView> Instance::ReadFile(std::string_view name) {
  return program_->File(name);
}

Status Instance::Emit(std::string_view stream, Json row) {
  if (!program_->spec.flow->HasSource(stream))
    return Status::Of(Code::kNotFound, "no stream of the task has the source \"{}\"", stream);
  if (program_->spec.privacy.closed_sources.contains(std::string(stream)))
    return Status::Of(Code::kPermissionDenied,
                      "\"{}\" leads up as it is, and functions of this task get local fields",
                      stream);
  if (!row.is_object())
    return Status::Of(Code::kInvalidArgument, "a row is a dict, not {}", row.type_name());
  if (emitted_.size() >= kMaxRowsPerRun)
    return Status::Of(Code::kLimitExceeded, "{} rows of one run are the limit", kMaxRowsPerRun);
  if (const size_t size = WriteJson(row).size(); size > event::kMaxRowBytes)
    return Status::Of(Code::kLimitExceeded, "a row of {} bytes, the limit is {}", size,
                      event::kMaxRowBytes);
  emitted_.push_back({std::string(stream), {run_time_ms_, std::move(row)}});
  return OkStatus();
}

int64_t Instance::NowMs() {
  return ground_.clock->NowUnixMs();
}

void Instance::CountInference(int64_t) {
  ++inferences_;
}

void Instance::Log(LogLevel level, std::string_view line) {
  if (LogEnabled(level)) LogLine(level, "task " + program_->package->manifest().name, line);
}

Status Instance::Metric(bindings::MetricKind kind, std::string_view name, double value) {
  const std::lock_guard lock(metrics_mutex_);
  return metrics_.Record(kind, name, value);
}

Result<table::Batch*> Instance::Changes(std::string_view table) {
  if (ground_.tables == nullptr) return NoTables(table);
  if (tables_ == nullptr) tables_ = std::make_unique<table::Batch>(*ground_.tables);
  return tables_.get();
}

Result<table::Batch*> Instance::ChangesOfRun(std::string_view table) {
  if (running_) return Changes(table);
  return Status::Of(Code::kFailedPrecondition,
                    "table {}: written by the top level of a script, which is no run", table);
}

Result<Json> Instance::TableGet(std::string_view table, const std::vector<Json>& key) {
  FERRY_ASSIGN_OR_RETURN(table::Batch* const changes, Changes(table));
  return changes->Get(table, key);
}

Status Instance::TablePut(std::string_view table, const Json& row) {
  if (program_->spec.privacy.closed_tables.contains(std::string(table)))
    return Status::Of(Code::kPermissionDenied,
                      "table {} leads up as it is, and functions of this task get local fields",
                      table);
  FERRY_ASSIGN_OR_RETURN(table::Batch* const changes, ChangesOfRun(table));
  return changes->Put(table, row);
}

Status Instance::TableDelete(std::string_view table, const std::vector<Json>& key) {
  FERRY_ASSIGN_OR_RETURN(table::Batch* const changes, ChangesOfRun(table));
  return changes->Delete(table, key);
}

Result<std::vector<Json>> Instance::TableRange(std::string_view table,
                                               const table::RangeQuery& query) {
  FERRY_ASSIGN_OR_RETURN(table::Batch* const changes, Changes(table));
  return changes->Range(table, query);
}

}  // namespace ferry::task
