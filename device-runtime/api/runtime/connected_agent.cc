#include "device-runtime/api/runtime/connected_agent.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <optional>

#include "common/base/log.h"
#include "common/sys/polite_executor.h"
#include "device-runtime/agent/conditions.h"
#include "device-runtime/agent/machine.h"
#include "device-runtime/agent/state/profile.h"
#include "device-runtime/api/runtime/wait.h"
#include "device-runtime/task/outcome.h"

namespace ferry::api {
namespace {

constexpr char kOutboxFile[] = "outbox.db";
constexpr char kLockFile[] = "lock";

Result<int> LockDirectory(const std::string& directory) {
  const std::string path = sys::JoinPath(directory, kLockFile);
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return Status::Of(Code::kIo, "{} cannot be opened", path);
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
  ::close(fd);
  return Status::Of(Code::kFailedPrecondition, "another process is the device of {}", directory);
}

}  // namespace

Result<std::unique_ptr<ConnectedAgent>> ConnectedAgent::Start(const AgentSettings& settings,
                                                              task::TaskSet& tasks,
                                                              const JoinFeed& join,
                                                              OnResult on_result,
                                                              OnErase on_erase) {
  std::unique_ptr<ConnectedAgent> made(new ConnectedAgent());
  made->at_rest_ = std::make_unique<package::AtRest>(sys::SystemFileSystem(), settings.directory,
                                                     settings.at_rest_key, sys::SystemRandom());
  sys::FileSystem& fs = made->at_rest_->reading();
  std::optional<trust::JoinToken> token;
  if (!settings.join_token.empty()) {
    auto parsed = trust::JoinTokenFromText(settings.join_token).Context("join token");
    FERRY_ASSIGN_OR_RETURN(token, std::move(parsed));
  }
  FERRY_TRY(fs.MakeDirectories(settings.directory));
  FERRY_ASSIGN_OR_RETURN(made->lock_, LockDirectory(settings.directory));
  FERRY_ASSIGN_OR_RETURN(agent::Identity identity,
                         agent::OpenIdentity(fs, settings.directory, token, sys::SystemRandom()));
  FERRY_ASSIGN_OR_RETURN(
      made->outbox_,
      store::OpenOutbox(sys::JoinPath(settings.directory, kOutboxFile), sys::SystemRandom(),
                        {.key = settings.at_rest_key, .forget_sealed = settings.forget_sealed}));
  made->io_ = std::make_unique<net::IoThreads>();
  made->home_ = sys::StartPoliteExecutor("ferry-agent");
  made->client_.authority = identity.join.authority;
  FERRY_ASSIGN_OR_RETURN(made->dialer_,
                         net::MakeTlsDialer(*made->io_, *made->home_, made->client_));

  // An erasure that a killed process began goes on below; this is its part.
  const store::Erasure erasure = made->outbox_->last_erasure();
  if (erasure.number != 0 && erasure.device.empty())
    FERRY_TRY(agent::ForgetUser(fs, settings.directory));
  FERRY_ASSIGN_OR_RETURN(made->feed_, join(*made->outbox_));

  agent::AgentOptions options;
  options.on_loaded = [feed = made->feed_] { feed->Resume(); };
  options.directory = settings.directory;
  auto profile = agent::KeepProfile(fs, settings.directory, settings.profile, &identity.damage);
  FERRY_ASSIGN_OR_RETURN(options.profile, std::move(profile));
  options.look_at_machine = [directory = settings.directory](target::Attributes* attributes) {
    agent::FillMachine(sys::SystemFileSystem(), directory, attributes);
  };
  options.conditions = [said = made->conditions_] {
    when::Host host = agent::ReadConditions(sys::SystemFileSystem(), agent::kPowerSupply, "",
                                            sys::SystemClock().NowUnixMs());
    if (said->is_object()) {
      if (Status read = agent::ReadConditionsInto(*said, &host); !read.ok())
        LogWarn("agent", "conditions: {}", read.ToString());
    }
    return host;
  };
  options.on_erase = std::move(on_erase);
  options.resident_bytes = agent::ResidentBytes;
  options.push = settings.push;
  if (settings.poll_ms > 0) options.poll_ms = settings.poll_ms;
  options.on_outcome = [on_result = std::move(on_result)](const agent::TaskOutcome& one) {
    if (one.outcome.fired) on_result(ResultToJson(one), one.waits);
  };
  agent::AgentParts parts;
  parts.executor = made->home_.get();
  parts.tasks = &tasks;
  parts.clock = &sys::SystemClock();
  parts.random = &sys::SystemRandom();
  parts.fs = &fs;
  parts.at_rest = made->at_rest_.get();
  parts.dialer = made->dialer_.get();
  parts.outbox = made->outbox_.get();
  parts.loader = agent::TaskRunnerLoader(fs, tasks);
  Status status;
  RunOn(*made->home_, [&] {
    auto agent = agent::Agent::Create(options, parts, std::move(identity));
    status = agent.status();
    if (!agent.ok()) return;
    made->agent_ = std::move(*agent);
    made->agent_->Start();
  });
  FERRY_TRY(status);
  return made;
}

ConnectedAgent::~ConnectedAgent() {
  StopAgent();
  if (feed_ != nullptr) feed_->Leave(*outbox_);
  if (lock_ >= 0) ::close(lock_);
}

void ConnectedAgent::SetConditions(Json said) {
  RunOn(*home_, [&] { *conditions_ = std::move(said); });
}

void ConnectedAgent::StopAgent() {
  if (agent_ == nullptr) return;
  std::promise<void> stopped;
  home_->Post([&] { agent_->Stop([&stopped] { stopped.set_value(); }); });
  stopped.get_future().wait();
  RunOn(*home_, [this] {
    agent_.reset();
    dialer_.reset();
  });
}

Result<NamedModel> ConnectedAgent::FindModel(const std::string& package, const std::string& model) {
  std::promise<Result<NamedModel>> found;
  home_->Post([&] {
    agent_->FindModel(package, model, [&](Result<agent::InstalledModel> one) {
      if (one.ok())
        found.set_value(NamedModel{std::move(one->model), one->package, one->version});
      else
        found.set_value(one.status());
    });
  });
  return found.get_future().get();
}

Result<Bytes> ConnectedAgent::ReadFile(const std::string& package, const std::string& name) {
  std::promise<Result<Bytes>> found;
  home_->Post([&] {
    agent_->ReadFile(package, name, [&](Result<Bytes> file) { found.set_value(std::move(file)); });
  });
  return found.get_future().get();
}

Result<std::unique_ptr<SplitConnection>> ConnectedAgent::MakeSplitConnection(
    sys::Executor& executor) {
  auto made = std::make_unique<SplitConnection>();
  std::vector<std::string> authorities;
  sys::Endpoint endpoint;
  RunOn(*home_, [&] {
    if (agent_ == nullptr) return;
    authorities = agent_->identity().Authorities();
    endpoint = agent_->server();
  });
  if (authorities.empty()) return Status(Code::kUnavailable, "the agent has stopped");
  net::ClientOptions client = client_;
  client.authority = authorities.front();
  client.also.assign(authorities.begin() + 1, authorities.end());
  client.protocol = net::kSplitFrameProtocol;
  FERRY_ASSIGN_OR_RETURN(made->dialer, net::MakeTlsDialer(*io_, executor, client));
  agent::SplitLineParts parts;
  parts.executor = &executor;
  parts.clock = &sys::SystemClock();
  parts.random = &sys::SystemRandom();
  parts.dialer = made->dialer.get();
  parts.endpoint = endpoint;
  parts.ask_token = [this, &executor](std::function<void(std::string)> answer) {
    home_->Post([this, &executor, answer = std::move(answer)] {
      const std::string token = agent_ != nullptr ? agent_->content_token() : std::string();
      executor.Post([token, answer] { answer(token); });
    });
  };
  made->line = std::make_unique<agent::SplitLine>(parts);
  return made;
}

Result<store::ErasedCounts> ConnectedAgent::Erase(uint64_t position) {
  Result<store::ErasedCounts> erased = store::ErasedCounts();
  RunOn(*home_, [&] { erased = agent_->Erase(position); });
  return erased;
}

void ConnectedAgent::SendRows() {
  RunOn(*home_, [&] { agent_->SendRows(); });
}

void ConnectedAgent::TellErased() {
  RunOn(*home_, [&] { agent_->TellErased(); });
}

Json ConnectedAgent::StatusJson() {
  Json out;
  RunOn(*home_, [&] { out = agent_->StatusJson(); });
  return out;
}

}  // namespace ferry::api
