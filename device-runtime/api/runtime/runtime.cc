#include "device-runtime/api/runtime/runtime.h"

#include <chrono>
#include <future>

#include "common/base/log.h"
#include "common/package/manifest.h"
#include "common/package/reader.h"
#include "common/sys/polite_executor.h"
#include "common/sys/random.h"
#include "device-runtime/agent/conditions.h"
#include "device-runtime/api/runtime/connected_agent.h"
#include "device-runtime/api/runtime/event_feed.h"
#include "device-runtime/api/runtime/wait.h"
#include "device-runtime/task/host.h"
#include "device-runtime/task/outcome.h"
#include "device-runtime/task/program.h"

namespace ferry::api {

namespace {

constexpr char kGroup[] = "app/";           // of the set: the tasks that the app opens
constexpr char kLogSuffix[] = ".events";    // of the log beside the outbox of local tasks
constexpr char kLogDirectory[] = "events";  // in the agent's state directory

// Whether this thread is inside a result callback.
bool& InCallback() {
  thread_local bool inside = false;
  return inside;
}

}  // namespace

Json ResultToJson(const task::TaskOutcome& one) {
  constexpr int64_t kNsPerUs = 1000;
  const task::EventOutcome& outcome = one.outcome;
  Json out = {{"package", one.package},
              {"version", one.version},
              {"time_ms", sys::SystemClock().NowUnixMs()},
              {"latency_us", outcome.latency_ns / kNsPerUs}};
  if (one.event != 0) out["event"] = one.event;
  if (one.call != 0) out["call"] = one.call;
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

Result<std::unique_ptr<RuntimeCore>> RuntimeCore::Create(RuntimeOptions options) {
  std::unique_ptr<RuntimeCore> runtime(new RuntimeCore(std::move(options)));
  const std::string& outbox = runtime->options_.outbox_path;
  if (!outbox.empty()) {
    FERRY_ASSIGN_OR_RETURN(
        runtime->outbox_,
        store::OpenOutbox(outbox, sys::SystemRandom(), {.key = runtime->options_.at_rest_key}));
  }
  // What an event wakes must not take the processor from the thread that sends it.
  runtime->results_ = sys::StartPoliteExecutor("ferry-results");
  runtime->worker_ = sys::StartPoliteExecutor("ferry-runtime");
  runtime->disk_ = sys::StartPoliteExecutor("ferry-log");
  runtime->tasks_ = std::make_unique<task::TaskSet>(
      task::TaskSetOptions{.executor = runtime->worker_.get(),
                           .threads = runtime->options_.threads,
                           .polite = true,
                           .make_durable = [shared = runtime->feed_](uint64_t number) {
                             std::shared_ptr<EventFeed> feed;
                             {
                               const std::lock_guard lock(shared->mutex);
                               feed = shared->feed;
                             }
                             return feed != nullptr ? feed->WaitDurable(number) : OkStatus();
                           }});
  runtime->opened_ = runtime->tasks_->MakeGroup(
      {.name = kGroup,
       .outbox = runtime->outbox_.get(),
       .on_outcome = [core = runtime.get()](task::TaskOutcome one, const task::RunningTask&) {
         if (one.outcome.fired) core->HandOut(ResultToJson(one), std::move(one.waits));
       }});
  if (runtime->outbox_ != nullptr)
    FERRY_TRY(
        runtime->OpenFeed(outbox + kLogSuffix, runtime->options_.at_rest_key, *runtime->outbox_)
            .Context("log of events"));
  return runtime;
}

Status RuntimeCore::OpenFeed(const std::string& directory,
                             const std::optional<crypto::Secret32>& key, store::Outbox& outbox,
                             bool forget_sealed) {
  FERRY_ASSIGN_OR_RETURN(const std::shared_ptr<EventFeed> feed,
                         JoinFeed(directory, key, outbox, forget_sealed));
  // Without the lock of the feed: a commit of the set takes it with the set's lock held, which an
  // erasure takes.
  return FinishErasure(outbox, *feed);
}

Result<std::shared_ptr<EventFeed>> RuntimeCore::JoinFeed(const std::string& directory,
                                                         const std::optional<crypto::Secret32>& key,
                                                         store::Outbox& outbox,
                                                         bool forget_sealed) {
  const std::lock_guard lock(feed_->mutex);
  if (feed_->feed != nullptr) {
    feed_->feed->Pause();
    FERRY_TRY(feed_->feed->Join(outbox));
    return feed_->feed;
  }
  EventFeed::Ground ground;
  ground.fs = &sys::SystemFileSystem();
  ground.clock = &sys::SystemClock();
  ground.random = &sys::SystemRandom();
  ground.tasks = tasks_.get();
  ground.executor = disk_.get();
  ground.forget_sealed = forget_sealed;
  FERRY_ASSIGN_OR_RETURN(feed_->feed, EventFeed::Open(ground, directory, key, outbox));
  return feed_->feed;
}

std::shared_ptr<EventFeed> RuntimeCore::feed() const {
  const std::lock_guard lock(feed_->mutex);
  if (feed_->feed == nullptr) return nullptr;
  // The app opens its tasks before its first event: what a killed process left is given then. With
  // an agent it waits for the installed tasks.
  if (!std::exchange(feed_->begun, true)) feed_->feed->Resume();
  return feed_->feed;
}

RuntimeCore::~RuntimeCore() {
  Close();
}

void RuntimeCore::Close() {
  {
    const std::lock_guard lock(erase_mutex_);
    closing_ = true;
  }
  // Sessions may live on; their way to the server goes with the agent.
  if (llm_ != nullptr) llm_->Close();
  agent_.reset();
  if (opened_ == nullptr) return;
  std::promise<void> closed;
  opened_->Close([&closed] { closed.set_value(); });
  closed.get_future().wait();
  RunOn(*results_, [] {});  // callbacks may still send
  if (const auto feed = feed_->feed; feed != nullptr) feed->Close();
  opened_.reset();
  tasks_.reset();
}

void RuntimeCore::HandOut(Json result, std::shared_ptr<const void> waits) {
  if (!options_.on_result) return;
  results_->Post([this, result = std::move(result), waits = std::move(waits)]() mutable {
    InCallback() = true;
    options_.on_result(result);
    InCallback() = false;
    waits = nullptr;
  });
}

std::shared_ptr<ConnectedAgent> RuntimeCore::agent() {
  const std::lock_guard lock(agent_mutex_);
  return agent_;
}

Status RuntimeCore::OpenTask(const std::string& path) {
  std::promise<Status> opened;
  opened_->Prepare([&] { opened.set_value(LoadTask(path)); });
  return opened.get_future().get();
}

// One task is opened at a time, so that a name that is free stays free.
Status RuntimeCore::LoadTask(const std::string& path) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  FERRY_ASSIGN_OR_RETURN(auto package, package::Package::OpenFile(fs, path));
  const std::string name = package.manifest().name, version = package.manifest().version;
  if (opened_->Find(name) != nullptr)
    return Status::Of(Code::kAlreadyExists, "a task {} is open already", name);
  FERRY_ASSIGN_OR_RETURN(
      std::shared_ptr<task::TaskHost> host,
      task::TaskHost::Load(std::make_shared<const package::Package>(std::move(package)),
                           tasks_->host_options(kGroup)));
  FERRY_TRY(host->Probe());
  return opened_->Use(name, version, "", std::move(host));
}

Status RuntimeCore::StartAgent(AgentSettings settings) {
  if (!settings.at_rest_key) settings.at_rest_key = options_.at_rest_key;
  const std::lock_guard lock(agent_mutex_);
  if (agent_ != nullptr) return Status(Code::kAlreadyExists, "the agent runs already");
  const auto join = [&](store::Outbox& outbox) -> Result<std::shared_ptr<EventFeed>> {
    FERRY_TRY(OpenFeed(sys::JoinPath(settings.directory, kLogDirectory), settings.at_rest_key,
                       outbox, settings.forget_sealed)
                  .Context("log of events"));
    const std::lock_guard feed_lock(feed_->mutex);
    feed_->begun = true;  // Resume is the agent's
    return feed_->feed;
  };
  const auto hand_out = [this](Json result, std::shared_ptr<const void> waits) {
    HandOut(std::move(result), std::move(waits));
  };
  const auto erase = [this](const std::string& asked) {
    worker_->Post([this, asked] {
      if (const auto erased = Erase(asked); !erased.ok())
        LogError("api", "erasing: {}", erased.status().ToString());
    });
  };
  auto started = ConnectedAgent::Start(settings, *tasks_, join, hand_out, erase);
  if (started.ok()) agent_ = std::move(*started);
  if (llm_ != nullptr) ConnectLlm();
  return started.status();
}

std::shared_ptr<LlmCore> RuntimeCore::llm() {
  const std::lock_guard lock(agent_mutex_);
  if (llm_ == nullptr) {
    llm_ = std::make_shared<LlmCore>(tasks_->parallel(), options_.kv_bytes);
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

Result<std::shared_ptr<const llm::Adapter>> RuntimeCore::FindAdapter(
    const std::string& name, const std::shared_ptr<const llm::Model>& model) {
  const size_t colon = name.find(':');
  if (colon == std::string::npos || sys::Exists(sys::SystemFileSystem(), name))
    return llm::Adapter::Load(sys::SystemFileSystem(), name, model);
  const std::string file = name.substr(colon + 1) + std::string(task::kAdapterSuffix);
  FERRY_ASSIGN_OR_RETURN(Bytes bytes,
                         ReadFile(name.substr(0, colon), file).Context("adapter {}", name));
  const auto owner = std::make_shared<const Bytes>(std::move(bytes));
  return llm::Adapter::FromBytes(*owner, owner, model).Context("adapter {}", name);
}

Result<NamedModel> RuntimeCore::FindPackageModel(const std::string& package,
                                                 const std::string& model) {
  Status missing = Status::Of(Code::kNotFound, "no package {} is open or installed", package);
  // Not on its lane: the task may be busy for long, and a TaskHost may be asked by any thread.
  if (const auto task = opened_->Find(package); task != nullptr) {
    auto opened = task->runner->LanguageModel(model);
    if (opened.ok()) return NamedModel{std::move(*opened), package, task->version};
    missing = opened.status();
  }
  const auto connected = agent();
  return connected == nullptr ? Result<NamedModel>(missing) : connected->FindModel(package, model);
}

Result<Bytes> RuntimeCore::ReadFile(const std::string& package, const std::string& name) {
  if (const auto task = opened_->Find(package); task != nullptr)
    return task->runner->ReadFile(name);
  const auto connected = agent();
  if (connected != nullptr) return connected->ReadFile(package, name);
  return Status::Of(Code::kNotFound, "no package {} is open or installed", package);
}

Status RuntimeCore::Send(event::Event event) {
  const auto log = feed();
  return log == nullptr ? tasks_->Send(std::move(event)) : log->Send(std::move(event));
}

Status RuntimeCore::SetConditions(const std::string& json) {
  FERRY_ASSIGN_OR_RETURN(Json said, ParseJson(json).Context("conditions"));
  when::Host host;
  FERRY_TRY(agent::ReadConditionsInto(said, &host).Context("conditions"));
  const std::shared_ptr<ConnectedAgent> connected = agent();
  if (connected == nullptr) return Status(Code::kFailedPrecondition, "no agent was started");
  connected->SetConditions(std::move(said));
  return OkStatus();
}

Status RuntimeCore::SendDurable(event::Event event) {
  const auto log = feed();
  if (log == nullptr)
    return Status(Code::kFailedPrecondition,
                  "a durable event lies in the log of events, which is beside the outbox or in the "
                  "agent's state directory; there is neither");
  return log->SendDurable(std::move(event));
}

Status RuntimeCore::Flush(int64_t timeout_ms) {
  if (InCallback())
    return Status(Code::kFailedPrecondition, "flush was called from a result callback");
  if (const auto log = feed(); log != nullptr) log->WaitGiven(timeout_ms);
  const auto done = std::make_shared<std::promise<void>>();
  auto waiting = done->get_future();
  opened_->WhenDone([this, done] { results_->Post([done] { done->set_value(); }); });
  if (waiting.wait_for(std::chrono::milliseconds(timeout_ms)) == std::future_status::ready)
    return OkStatus();
  return Status::Of(Code::kDeadlineExceeded, "events were not done after {} ms", timeout_ms);
}

Json RuntimeCore::TasksJson() {
  Json tasks = Json::object();
  std::mutex mutex;  // of `tasks`, while lanes fill it
  std::promise<void> all;
  opened_->Each(
      [&](const task::RunningTask& task) {
        Json one = task::StatsToJson(task.stats());
        one["version"] = task.version;
        const std::lock_guard lock(mutex);
        tasks[task.package] = std::move(one);
      },
      [&] { all.set_value(); });
  all.get_future().wait();
  return tasks;
}

Json RuntimeCore::StatusJson() {
  const task::TaskSet::EventStats events = tasks_->event_stats();
  Json out = {{"tasks", TasksJson()},
              {"agent", nullptr},
              {"events",
               {{"sent", events.sent},
                {"waiting", events.waiting},
                {"waiting_bytes", events.waiting_bytes},
                {"future", events.future}}}};
  if (const auto connected = agent(); connected != nullptr) out["agent"] = connected->StatusJson();
  const store::Outbox* const outbox = outbox_.get();
  out["consent"] = outbox != nullptr ? Json(outbox->stats().consent) : Json();
  out["withheld"] = outbox != nullptr ? Json(outbox->stats().withheld) : Json();
  const std::unique_lock lock(agent_mutex_);
  out["verifier"] = llm_ != nullptr ? llm_->StatusJson() : Json();
  return out;
}

}  // namespace ferry::api
