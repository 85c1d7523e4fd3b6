#include "cloud-server/main/node.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <future>
#include <thread>
#include <vector>

#include "cloud-server/gateway/gateway.h"
#include "cloud-server/main/gated_executor.h"
#include "cloud-server/rollout/rollout.h"
#include "cloud-server/rollout/simulator.h"
#include "cloud-server/store/sqlite/sqlite_store.h"
#include "common/base/log.h"
#include "common/net/server.h"

namespace ferry::server {
namespace {

constexpr int kIoThreads = 2;
constexpr int kMinSessionThreads = 2, kMaxSessionThreads = 16;
constexpr auto kSimulationGrace = std::chrono::seconds(5);

int SessionThreads() {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(cores, kMinSessionThreads, kMaxSessionThreads);
}

class RunningNode : public Node {
 public:
  RunningNode(const ServerHome& home, const NodeOptions& options)
      : home_(home), options_(options) {}

  ~RunningNode() override {
    admin_.reset();
    door_.reset();
    verify_.reset();
    for (auto& executor : sessions_) executor->Close();
    ticker_.Close();
    CloseSimulations();
  }

  Status Start() {
    FERRY_ASSIGN_OR_RETURN(store_, OpenSqliteStore(home_.Path("ferry.db")));
    FERRY_ASSIGN_OR_RETURN(blobs_, OpenDirectoryBlobStore(fs_, home_.Path("content"), random_));
    bus_ = MakeInprocBus();
    Registry::Options registry;
    registry.store = store_.get();
    registry.blobs = blobs_.get();
    registry.clock = &clock_;
    registry.random = &random_;
    registry.secrets = &home_.secrets;
    registry_ = std::make_unique<Registry>(registry);
    if (!options_.device_program.empty()) {
      FERRY_TRY(fs_.MakeDirectories(home_.Path("scratch")));
      simulator_ =
          MakeChildSimulator(*registry_, fs_, {options_.device_program, home_.Path("scratch")});
    }
    FERRY_TRY(StartRollout());
    FERRY_TRY(StartVerify());
    FERRY_TRY(StartDoor());
    return StartAdmin();
  }

  uint16_t port() const override { return door_->port(); }
  uint16_t admin_port() const override { return admin_->port(); }
  const AdminOptions& admin_options() const override { return admin_options_; }

 private:
  Status StartRollout() {
    Rollout::Options rollout;
    rollout.tenant = home_.config.tenant;
    rollout.store = store_.get();
    rollout.registry = registry_.get();
    rollout.bus = bus_.get();
    rollout.clock = &clock_;
    rollout.random = &random_;
    rollout.secrets = &home_.secrets;
    rollout.simulator = simulator_.get();
    rollout.ticker = &ticker_;
    rollout.simulations = &simulations_;
    rollout_ = std::make_unique<Rollout>(rollout);
    return rollout_->Start();
  }

  Status StartVerify() {
    if (options_.verify.targets.empty()) return OkStatus();
    VerifyDoor::Parts parts;
    parts.store = store_.get();
    parts.registry = registry_.get();
    parts.fs = &fs_;
    parts.clock = &clock_;
    parts.content_secret = &home_.content_secret;
    parts.scratch = home_.Path("scratch-targets");
    FERRY_ASSIGN_OR_RETURN(verify_, VerifyDoor::Start(options_.verify, parts));
    return OkStatus();
  }

  Status StartDoor() {
    ingest_ = std::make_unique<Ingest>(*store_, clock_);
    Gateway::Options gateway;
    gateway.store = store_.get();
    gateway.blobs = blobs_.get();
    gateway.registry = registry_.get();
    gateway.rollout = rollout_.get();
    gateway.bus = bus_.get();
    gateway.ingest = ingest_.get();
    gateway.clock = &clock_;
    gateway.random = &random_;
    gateway.content_secret = &home_.content_secret;
    gateway_ = std::make_unique<Gateway>(gateway);
    std::vector<sys::Executor*> executors;
    for (int i = 0; i < SessionThreads(); ++i) {
      sessions_.push_back(std::make_unique<GatedExecutor>("sessions"));
      executors.push_back(sessions_.back().get());
    }
    net::ServerOptions server;
    server.listen = {options_.host, options_.port};
    server.certificate_pem = home_.certificate_pem;
    server.private_key_pem = home_.private_key_pem;
    if (verify_ != nullptr) server.split = verify_->door();
    FERRY_ASSIGN_OR_RETURN(
        door_, net::TlsServer::Start(
                   io_, executors, server, &gateway_->content(),
                   [this](std::unique_ptr<sys::FrameChannel> channel, sys::Executor& executor) {
                     gateway_->Accept(std::move(channel), executor);
                   }));
    return OkStatus();
  }

  Status StartAdmin() {
    AdminOptions& admin = admin_options_;
    admin.host = options_.admin_host;
    admin.port = options_.admin_port;
    admin.names = home_.config.names;
    admin.store = store_.get();
    admin.blobs = blobs_.get();
    admin.registry = registry_.get();
    admin.rollout = rollout_.get();
    admin.clock = &clock_;
    admin.random = &random_;
    admin.tenant = home_.config.tenant;
    admin.device_host = home_.config.device_host;
    admin.device_port = door_->port();
    admin.authority_pin = home_.authority_pin;
    if (verify_ != nullptr) {
      admin.verify_targets = [this] { return VerifyTargetsJson(verify_->View()); };
      admin.verify_sessions = [this] { return VerifySessionsJson(verify_->View()); };
    }
    FERRY_ASSIGN_OR_RETURN(admin_, AdminServer::Start(admin));
    return SavePorts(fs_, home_, door_->port(), admin_->port());
  }

  // A simulation may take minutes. The store remembers it as under way, and the next start runs it
  // again: after a grace the process simply ends.
  void CloseSimulations() {
    auto closed = std::async(std::launch::async, [this] { simulations_.Close(); });
    if (closed.wait_for(kSimulationGrace) == std::future_status::ready) return;
    LogWarn("server", "a simulation is under way: it will run again at the next start");
    std::_Exit(0);
  }

  sys::FileSystem& fs_ = sys::SystemFileSystem();
  sys::Clock& clock_ = sys::SystemClock();
  sys::Random& random_ = sys::SystemRandom();
  const ServerHome& home_;
  NodeOptions options_;
  AdminOptions admin_options_;
  net::IoThreads io_{kIoThreads};
  GatedExecutor ticker_{"rollout"}, simulations_{"simulations"};
  std::vector<std::unique_ptr<GatedExecutor>> sessions_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<BlobStore> blobs_;
  std::unique_ptr<Bus> bus_;
  std::unique_ptr<Registry> registry_;
  std::unique_ptr<Simulator> simulator_;
  std::unique_ptr<Rollout> rollout_;
  std::unique_ptr<Ingest> ingest_;
  std::unique_ptr<Gateway> gateway_;
  std::unique_ptr<VerifyDoor> verify_;
  std::unique_ptr<net::TlsServer> door_;
  std::unique_ptr<AdminServer> admin_;
};

}  // namespace

Result<std::unique_ptr<Node>> Node::Start(const ServerHome& home, const NodeOptions& options) {
  auto node = std::make_unique<RunningNode>(home, options);
  FERRY_TRY(node->Start());
  return std::unique_ptr<Node>(std::move(node));
}

Status WithAdmin(const ServerHome& home, const std::function<Status(const AdminOptions&)>& use) {
  FERRY_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store,
                         OpenSqliteStore(home.Path("ferry.db")));
  // Without the content: opening it would empty what a running server takes in.
  Registry::Options registry_options;
  registry_options.store = store.get();
  registry_options.clock = &sys::SystemClock();
  registry_options.random = &sys::SystemRandom();
  registry_options.secrets = &home.secrets;
  Registry registry(registry_options);
  AdminOptions admin;
  admin.store = store.get();
  admin.registry = &registry;
  admin.clock = &sys::SystemClock();
  admin.random = &sys::SystemRandom();
  admin.tenant = home.config.tenant;
  admin.device_host = home.config.device_host;
  admin.device_port = home.last_port;
  admin.authority_pin = home.authority_pin;
  return use(admin);
}

}  // namespace ferry::server
