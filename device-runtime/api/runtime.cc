#include "device-runtime/api/runtime.h"

#include <atomic>
#include <chrono>
#include <future>

#include "common/package/manifest.h"
#include "common/sys/random.h"
#include "device-runtime/api/connected_agent.h"
#include "device-runtime/api/wait.h"
#include "device-runtime/task/lane.h"

namespace ferry::api {

namespace {

constexpr std::chrono::milliseconds kCloseGrace{2000};  // for scripts that run while all closes

// Whether this thread is inside a result callback.
bool& InCallback() {
  thread_local bool inside = false;
  return inside;
}

}  // namespace

// A task on a thread of its own; destroyed there is nothing left to run.
struct RuntimeCore::OpenedTask {
  std::unique_ptr<task::TaskHost> host;
  std::unique_ptr<task::Lane> lane;
};

struct RuntimeCore::Work {
  std::map<std::string, OpenedTask> tasks;
  std::atomic<size_t> waiting = 0;  // events that not all tasks are done with

  // Runs `body` for every task on its lane, then `done` on one of them or on the worker.
  void Each(std::function<void(const std::string&, task::TaskHost&)> body, sys::Task done) {
    const task::WhenAll ended(tasks.size() + 1, std::move(done));
    for (auto& [name, task] : tasks) {
      task.lane->Run([name, host = task.host.get(), body, ended] {
        body(name, *host);
        ended();
      });
    }
    ended();
  }
};

Json ResultToJson(const std::string& package, const std::string& version, int64_t time_ms,
                  const task::EventOutcome& outcome) {
  constexpr int64_t kNsPerUs = 1000;
  Json out = {{"package", package},
              {"version", version},
              {"time_ms", time_ms},
              {"latency_us", outcome.latency_ns / kNsPerUs}};
  const auto error_json = [](const Status& status) {
    return Json{{"code", static_cast<int>(status.code())},
                {"name", InfoOf(status.code()).name},
                {"text", status.message()}};
  };
  if (!outcome.error.ok())
    out["error"] = error_json(outcome.error);
  else
    out["result"] = outcome.result;
  if (!outcome.stream_error.ok()) out["stream_error"] = error_json(outcome.stream_error);
  return out;
}

RuntimeCore::RuntimeCore(RuntimeOptions options)
    : options_(std::move(options)), work_(std::make_unique<Work>()) {}

Result<std::unique_ptr<RuntimeCore>> RuntimeCore::Create(RuntimeOptions options) {
  std::unique_ptr<RuntimeCore> runtime(new RuntimeCore(std::move(options)));
  const std::string& outbox = runtime->options_.outbox_path;
  if (!outbox.empty()) {
    FERRY_ASSIGN_OR_RETURN(runtime->outbox_, store::OpenOutbox(outbox, sys::SystemRandom()));
  }
  const int threads = runtime->options_.threads;
  if (threads != 1) {
    runtime->pool_ = sys::StartThreadPool(threads);
    runtime->parallel_ = std::make_unique<task::SharedParallel>(*runtime->pool_);
  }
  runtime->scheduler_ = std::make_unique<vm::Scheduler>(vm::Scheduler::Options{.slots = threads});
  runtime->results_ = sys::StartThreadExecutor("ferry-results");
  runtime->worker_ = sys::StartThreadExecutor("ferry-runtime");
  runtime->ScheduleAdvance();
  return runtime;
}

RuntimeCore::~RuntimeCore() {
  // Sessions may live on; their way to the server goes with the agent.
  if (llm_ != nullptr) llm_->Close();
  agent_.reset();
  if (worker_ == nullptr) return;
  std::promise<void> closed;
  RunOn(*worker_, [&] {
    work_->Each([](const std::string&, task::TaskHost& host) { host.Close(); },
                [&] { closed.set_value(); });
  });
  auto all = closed.get_future();
  if (all.wait_for(kCloseGrace) != std::future_status::ready) {
    RunOn(*worker_, [this] {
      for (auto& [name, task] : work_->tasks) scheduler_->CancelOwner(name);
    });
    all.wait();
  }
  RunOn(*worker_, [this] { work_->tasks.clear(); });
  worker_.reset();
  RunOn(*results_, [] {});
}

void RuntimeCore::HandOut(Json result) {
  if (!options_.on_result) return;
  results_->Post([this, result = std::move(result)] {
    InCallback() = true;
    options_.on_result(result);
    InCallback() = false;
  });
}

std::shared_ptr<ConnectedAgent> RuntimeCore::agent() {
  const std::lock_guard lock(agent_mutex_);
  return agent_;
}

// Runs on the worker again and again until the executor goes.
void RuntimeCore::ScheduleAdvance() {
  worker_->PostAfter(kAdvanceMs, [this] {
    // Windows of a busy task close when its events are done.
    for (auto& [name, task] : work_->tasks)
      if (task.lane->waiting() == 0) task.lane->Run([host = task.host.get()] { host->Advance(); });
    ScheduleAdvance();
  });
}

Status RuntimeCore::OpenTask(const std::string& path) {
  task::HostOptions options;
  options.parallel = parallel_.get();
  options.outbox = outbox_.get();
  options.scheduler = scheduler_.get();
  Status status;
  RunOn(*worker_, [&] {
    sys::FileSystem& fs = sys::SystemFileSystem();
    auto package = package::Package::OpenFile(fs, path);
    status = package.status();
    if (!status.ok()) return;
    if (work_->tasks.contains(package->manifest().name)) {
      status =
          Status::Of(Code::kAlreadyExists, "a task {} is open already", package->manifest().name);
      return;
    }
    auto shared = std::make_shared<const package::Package>(std::move(*package));
    auto host = task::TaskHost::Load(shared, options);
    status = host.ok() ? (*host)->Probe() : host.status();
    if (!status.ok()) return;
    OpenedTask& opened = work_->tasks[(*host)->name()];
    opened.host = std::move(*host);
    opened.lane = std::make_unique<task::Lane>(sys::StartThreadExecutor("ferry-task"));
  });
  return status;
}

Status RuntimeCore::StartAgent(const AgentSettings& settings) {
  const std::lock_guard lock(agent_mutex_);
  if (agent_ != nullptr) return Status(Code::kAlreadyExists, "the agent runs already");
  auto started = ConnectedAgent::Start(settings, options_.threads,
                                       [this](const Json& result) { HandOut(result); });
  if (started.ok()) agent_ = std::move(*started);
  if (llm_ != nullptr) ConnectLlm();
  return started.status();
}

std::shared_ptr<LlmCore> RuntimeCore::llm() {
  const std::lock_guard lock(agent_mutex_);
  if (llm_ == nullptr) {
    llm_ = std::make_shared<LlmCore>(options_.threads, options_.kv_bytes);
    ConnectLlm();
  }
  return llm_;
}

void RuntimeCore::ConnectLlm() {
  if (agent_ == nullptr) return;
  llm_->SetConnection([agent = agent_.get()](sys::Executor& executor) {
    return agent->MakeSplitConnection(executor);
  });
}

Result<NamedModel> RuntimeCore::FindModel(const std::string& name) {
  const size_t colon = name.find(':');
  if (colon != std::string::npos && !sys::Exists(sys::SystemFileSystem(), name))
    return FindPackageModel(name.substr(0, colon), name.substr(colon + 1));
  FERRY_ASSIGN_OR_RETURN(auto model, llm::Model::Load(sys::SystemFileSystem(), name));
  return NamedModel{std::move(model), "", ""};
}

Result<NamedModel> RuntimeCore::FindPackageModel(const std::string& package,
                                                 const std::string& model) {
  Result<NamedModel> found =
      Status::Of(Code::kNotFound, "no package {} is open or installed", package);
  RunOn(*worker_, [&] {
    const auto task = work_->tasks.find(package);
    if (task == work_->tasks.end()) return;
    // The program is one for all copies of the task and knows its models from the start.
    auto opened = task->second.host->LanguageModel(model);
    if (opened.ok())
      found = NamedModel{std::move(*opened), package, task->second.host->version()};
    else
      found = opened.status();
  });
  if (found.ok()) return found;
  const auto connected = agent();
  return connected == nullptr ? found : connected->FindModel(package, model);
}

Status RuntimeCore::Send(event::Event event) {
  if (work_->waiting.fetch_add(1) >= kMaxWaitingEvents) {
    work_->waiting.fetch_sub(1);
    return Status::Of(Code::kLimitExceeded, "{} events wait, the limit", kMaxWaitingEvents);
  }
  if (const auto connected = agent(); connected != nullptr) {
    if (Status status = connected->Send(event); !status.ok()) {
      work_->waiting.fetch_sub(1);
      return status;
    }
  }
  worker_->Post([this, event = std::move(event)] {
    work_->Each(
        [this, event](const std::string& name, task::TaskHost& host) {
          const task::EventOutcome outcome = host.OnEvent(event);
          if (!outcome.fired) return;
          HandOut(ResultToJson(name, host.version(), sys::SystemClock().NowUnixMs(), outcome));
        },
        // Done when its results are handed out: a slow callback holds new events back.
        [this] { results_->Post([this] { work_->waiting.fetch_sub(1); }); });
  });
  return OkStatus();
}

Status RuntimeCore::Flush(int64_t timeout_ms) {
  if (InCallback())
    return Status(Code::kFailedPrecondition, "flush was called from a result callback");
  const auto done = std::make_shared<std::promise<void>>();
  auto waiting = done->get_future();
  worker_->Post([this, done] {
    work_->Each([](const std::string&, task::TaskHost&) {},
                [this, done] { results_->Post([done] { done->set_value(); }); });
  });
  if (waiting.wait_for(std::chrono::milliseconds(timeout_ms)) == std::future_status::ready)
    return OkStatus();
  return Status::Of(Code::kDeadlineExceeded, "events were not done after {} ms", timeout_ms);
}

Json RuntimeCore::TasksJson() {
  Json tasks = Json::object();
  std::mutex mutex;  // of `tasks`, while lanes fill it
  std::promise<void> all;
  worker_->Post([&] {
    work_->Each(
        [&](const std::string& name, task::TaskHost& host) {
          Json one = task::StatsToJson(host.stats());
          one["version"] = host.version();
          const std::lock_guard lock(mutex);
          tasks[name] = std::move(one);
        },
        [&] { all.set_value(); });
  });
  all.get_future().wait();
  return tasks;
}

Json RuntimeCore::StatusJson() {
  Json out = {{"tasks", TasksJson()}, {"agent", nullptr}};
  if (const auto connected = agent(); connected != nullptr) out["agent"] = connected->StatusJson();
  const std::unique_lock lock(agent_mutex_);
  out["verifier"] = llm_ != nullptr ? llm_->StatusJson() : Json();
  return out;
}

}  // namespace ferry::api
