#include "device-runtime/api/connected_agent.h"

#include <optional>

#include "common/net/client.h"
#include "device-runtime/api/wait.h"

namespace ferry::api {
namespace {

constexpr char kOutboxFile[] = "outbox.db";

}  // namespace

Result<std::unique_ptr<ConnectedAgent>> ConnectedAgent::Start(
    const AgentSettings& settings, int threads, std::function<void(const Json&)> on_result) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  std::optional<trust::JoinToken> token;
  if (!settings.join_token.empty()) {
    auto parsed = trust::JoinTokenFromText(settings.join_token).Context("join token");
    FERRY_ASSIGN_OR_RETURN(token, std::move(parsed));
  }
  FERRY_TRY(fs.MakeDirectories(settings.directory));
  FERRY_ASSIGN_OR_RETURN(agent::Identity identity,
                         agent::OpenIdentity(fs, settings.directory, token, sys::SystemRandom()));
  std::unique_ptr<ConnectedAgent> made(new ConnectedAgent());
  FERRY_ASSIGN_OR_RETURN(
      made->outbox_,
      store::OpenOutbox(sys::JoinPath(settings.directory, kOutboxFile), sys::SystemRandom()));
  if (threads != 1) made->parallel_ = sys::StartThreadPool(threads);
  made->io_ = std::make_unique<net::IoThreads>();
  made->worker_ = sys::StartThreadExecutor("ferry-tasks");
  made->home_ = sys::StartThreadExecutor("ferry-agent");
  net::ClientOptions client;
  client.authority = identity.join.authority;
  FERRY_ASSIGN_OR_RETURN(made->dialer_, net::MakeTlsDialer(*made->io_, *made->home_, client));

  agent::AgentOptions options;
  options.directory = settings.directory;
  options.profile = settings.profile;
  options.push = settings.push;
  if (settings.poll_ms > 0) options.poll_ms = settings.poll_ms;
  options.on_outcome = [on_result = std::move(on_result)](const agent::TaskOutcome& one) {
    if (!on_result || !one.outcome.fired) return;
    on_result(ResultToJson(one.package, one.version, sys::SystemClock().NowUnixMs(), one.outcome));
  };
  agent::AgentParts parts;
  parts.executor = made->home_.get();
  parts.worker = made->worker_.get();
  parts.clock = &sys::SystemClock();
  parts.random = &sys::SystemRandom();
  parts.fs = &fs;
  parts.dialer = made->dialer_.get();
  parts.outbox = made->outbox_.get();
  task::HostOptions host;
  host.parallel = made->parallel_.get();
  host.outbox = made->outbox_.get();
  parts.loader = agent::TaskRunnerLoader(fs, host);
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
  if (agent_ == nullptr) return;
  std::promise<void> stopped;
  home_->Post([&] { agent_->Stop([&stopped] { stopped.set_value(); }); });
  stopped.get_future().wait();
  RunOn(*home_, [this] {
    agent_.reset();
    dialer_.reset();
  });
}

Status ConnectedAgent::Send(event::Event event) {
  Status status;
  RunOn(*home_, [&] { status = agent_->Deliver(event); });
  return status;
}

Json ConnectedAgent::StatusJson() {
  Json out;
  RunOn(*home_, [&] { out = agent_->StatusJson(); });
  return out;
}

}  // namespace ferry::api
