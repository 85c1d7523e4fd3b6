#include "cloud-server/main/node.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <future>
#include <thread>
#include <vector>

#include "cloud-server/admin/resources/status.h"
#include "cloud-server/campaign/campaigns.h"
#include "cloud-server/gateway/gateway.h"
#include "cloud-server/main/drain/drain.h"
#include "cloud-server/main/file_limit.h"
#include "cloud-server/main/gated_executor.h"
#include "cloud-server/main/keeper.h"
#include "cloud-server/main/line/authorities.h"
#include "cloud-server/main/online_keys/key_files.h"
#include "cloud-server/main/online_keys/root_watch.h"
#include "cloud-server/main/truth/claim.h"
#include "cloud-server/main/truth/cluster.h"
#include "cloud-server/main/truth/patience.h"
#include "cloud-server/main/truth/presence.h"
#include "cloud-server/rollout/child/graphs.h"
#include "cloud-server/rollout/deltas/delta_maker.h"
#include "cloud-server/rollout/rollout.h"
#include "cloud-server/rollout/simulator.h"
#include "cloud-server/store/open.h"
#include "cloud-server/webhook/webhook.h"
#include "common/base/json.h"
#include "common/base/log.h"
#include "common/net/certificate.h"
#include "common/net/http_head.h"
#include "common/net/server.h"
#include "common/trust/documents/mirror.h"

namespace ferry::server {
namespace {

constexpr size_t kRunBytes = 16;  // that tell this run from others

constexpr int kIoThreads = 2;
constexpr int kMinSessionThreads = 2, kMaxSessionThreads = 16;
constexpr auto kSimulationGrace = std::chrono::seconds(5);

int SessionThreads() {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(cores, kMinSessionThreads, kMaxSessionThreads);
}

bool Sleep(int64_t ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
  return true;
}

// Those that the devices' door shows: the server's, and the authority that devices pin.
Result<std::vector<Expiring>> CertificatesOf(const ServerHome& home) {
  const std::string& chain = home.certificate_pem;
  const size_t authority = chain.rfind("-----BEGIN CERTIFICATE-----");
  std::vector<Expiring> certificates;
  FERRY_ASSIGN_OR_RETURN(const int64_t server_ms, net::CertificateExpiresMs(chain));
  certificates.push_back({"certificate of the server", server_ms});
  if (authority == 0 || authority == std::string::npos) return certificates;
  FERRY_ASSIGN_OR_RETURN(const int64_t authority_ms,
                         net::CertificateExpiresMs(chain.substr(authority)));
  certificates.push_back({"certificate of the authority", authority_ms});
  for (const net::CertificateAndKey& further : home.further) {
    FERRY_ASSIGN_OR_RETURN(const int64_t further_ms,
                           net::CertificateExpiresMs(further.certificate_pem));
    certificates.push_back({"certificate of the next authority's server", further_ms});
  }
  return certificates;
}

void AddContentMetrics(const ContentUse& use, std::vector<Metric>* metrics) {
  metrics->push_back({"ferry_content_transfers_total",
                      "Transfers of content that devices began at this server",
                      true,
                      {},
                      static_cast<double>(use.transfers)});
  metrics->push_back({"ferry_content_bytes_total",
                      "Bytes of content that were read for devices",
                      true,
                      {},
                      static_cast<double>(use.bytes)});
  metrics->push_back({"ferry_content_sent_on_total",
                      "Devices that were told where else the content is",
                      true,
                      {},
                      static_cast<double>(use.sent_on)});
}

class RunningNode : public Node {
 public:
  RunningNode(const ServerHome& home, const NodeOptions& options)
      : home_(home), options_(options) {}

  ~RunningNode() override {
    admin_.reset();
    if (issuer_look_.joinable()) issuer_look_.join();
    webhooks_.reset();
    keeper_.reset();
    presence_.reset();
    drains_.Close();
    root_looks_.Close();
    door_.reset();
    verify_.reset();
    for (auto& executor : sessions_) executor->Close();
    ticker_.Close();
    writer_.Close();
    CloseSimulations();
  }

  Status Start() {
    for (const std::string& mirror : options_.mirrors) {
      const auto address = trust::MirrorFromText(mirror);
      if (!address.ok())
        return Status(Code::kInvalidArgument, "--mirror: " + address.status().message());
    }
    FERRY_ASSIGN_OR_RETURN(sign_in_, MakeSignIn(options_.oidc, fs_, clock_, random_));
    Patience patience(clock_, options_.wait_ms, options_.pause ? options_.pause : Sleep);
    FERRY_TRY(patience.Try("store", [&]() -> Status {
      FERRY_ASSIGN_OR_RETURN(store_, OpenTruth(home_));
      return OkStatus();
    }));
    if (IsPostgres(home_.StorePlace())) {
      FERRY_TRY(CheckClock());
      Bytes run(kRunBytes);
      random_.Fill(run);
      run_ = ToHex(run);
      once_ = std::make_unique<Once>(store_.get(), "server", run_);
    }
    FERRY_TRY(patience.Try("blob store", [&] { return OpenContent(); }));
    FERRY_TRY(patience.Try("bus", [&] { return OpenBus(); }));
    Registry::Options registry;
    registry.store = store_.get();
    registry.blobs = blobs_.get();
    registry.clock = &clock_;
    registry.random = &random_;
    registry.secrets = &home_.secrets;
    registry.keys = &keys_;
    registry_ = std::make_unique<Registry>(registry);
    // It runs all the same: a root that names its keys can then be uploaded.
    if (Status keys = registry_->UseStoredRoot(); !keys.ok())
      LogError("server", "devices will not believe this server: {}", keys.ToString());
    if (!options_.device_program.empty()) {
      FERRY_TRY(fs_.MakeDirectories(home_.Path("scratch")));
      simulator_ =
          MakeChildSimulator(*registry_, fs_, {options_.device_program, home_.Path("scratch")});
      graphs_ = MakeChildGraphs(*registry_, fs_, {options_.device_program, home_.Path("scratch")});
    }
    // The rows may be older than what devices have seen: a directory that was copied back.
    if (const Status renewed = registry_->Renew(); !renewed.ok())
      LogWarn("server", "signing metadata anew: {}", renewed.ToString());
    FERRY_TRY(StartRollout());
    FERRY_TRY(StartVerify());
    FERRY_TRY(StartDoor());
    StartDrain();
    if (once_ != nullptr) {
      FERRY_TRY(StartPresence());
      root_watch_.Start(registry_.get());
    }
    FERRY_TRY(StartKeeper());
    Webhooks::Parts webhooks{store_.get(), &clock_, &random_, options_.webhook_private};
    webhooks.once = once_.get();
    webhooks_ = std::make_unique<Webhooks>(webhooks);
    webhooks_->Start();
    return StartAdmin();
  }

  uint16_t port() const override { return door_->port(); }
  uint16_t admin_port() const override { return admin_->port(); }
  const AdminOptions& admin_options() const override { return admin_options_; }

 private:
  // Leases and expiries of several nodes are told by clocks that agree.
  Status CheckClock() {
    int64_t database_ms = 0;
    FERRY_TRY(store_->Read([&](Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(database_ms, tx.leases().NowMs());
      return OkStatus();
    }));
    const int64_t off_ms = clock_.NowUnixMs() - database_ms;
    if (std::abs(off_ms) <= kMaxClockOffMs) return OkStatus();
    return Status::Of(Code::kFailedPrecondition,
                      "this machine's clock is {} s from the database's, at most {} are allowed",
                      off_ms / 1000, kMaxClockOffMs / 1000);
  }

  Status OpenContent() {
    const std::string here = home_.Path("content");
    if (options_.blob.empty()) {
      FERRY_ASSIGN_OR_RETURN(blobs_, OpenDirectoryBlobStore(fs_, here, random_));
      return OkStatus();
    }
    FERRY_ASSIGN_OR_RETURN(blobs_,
                           OpenS3BlobStore(options_.blob, fs_, home_.Path("spool"), random_));
    if (!sys::Exists(fs_, here)) return OkStatus();
    // What was published before there was a bucket.
    FERRY_ASSIGN_OR_RETURN(const auto before, OpenDirectoryBlobStore(fs_, here, random_));
    FERRY_ASSIGN_OR_RETURN(const int64_t copied, CopyMissingBlobs(*before, *blobs_));
    if (copied > 0) LogInfo("server", "{} files of {} are in the bucket now", copied, here);
    return OkStatus();
  }

  Status OpenBus() {
    if (options_.bus.empty()) {
      bus_ = MakeInprocBus();
      return OkStatus();
    }
    // Nodes of one authority are one cluster: others on the same NATS server hear nothing of it.
    FERRY_ASSIGN_OR_RETURN(bus_, ConnectNatsBus(options_.bus, BusNameOf(home_)));
    return OkStatus();
  }

  Status StartRollout() {
    Rollout::Options rollout;
    rollout.tenant = home_.config.tenant;
    rollout.store = store_.get();
    rollout.registry = registry_.get();
    rollout.bus = bus_.get();
    rollout.clock = &clock_;
    rollout.random = &random_;
    rollout.simulator = simulator_.get();
    rollout.ticker = &ticker_;
    rollout.once = once_.get();
    rollout.writer = &writer_;
    rollout.simulations = &simulations_;
    rollout_ = std::make_unique<Rollout>(rollout);
    FERRY_TRY(rollout_->Start());
    delta_maker_ = std::make_unique<DeltaMaker>(
        DeltaMaker::Options{store_.get(), registry_.get(), &fs_, home_.Path("scratch-deltas"),
                            options_.deltas, once_.get(), &deltas_});
    delta_maker_->Start();
    Campaigns::Options campaigns;
    campaigns.store = store_.get();
    campaigns.rollout = rollout_.get();
    campaigns.clock = &clock_;
    campaigns.ticker = &ticker_;
    campaigns.once = once_.get();
    campaigns_ = std::make_unique<Campaigns>(campaigns);
    campaigns_->Start();
    return OkStatus();
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
    ingest_ = std::make_unique<Ingest>(*store_, clock_, options_.limits);
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
    gateway.mirrors = options_.mirrors;
    gateway.redirects = options_.redirects;
    if (options_.max_devices > 0) gateway.max_sessions = static_cast<size_t>(options_.max_devices);
    gateway.session_life_ms = kSessionLineMs;
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
    server.further = home_.further;
    server.limits.max_connections = MostLines(options_.files, server.limits.max_connections);
    server.limits.handshakes_per_second = options_.handshakes;
    if (verify_ != nullptr) server.split = verify_->door();
    auto door = net::TlsServer::Start(
        io_, executors, server, &gateway_->content(),
        [this](std::unique_ptr<sys::FrameChannel> channel, sys::Executor& executor) {
          gateway_->Accept(std::move(channel), executor);
        });
    if (door.code() == Code::kInvalidArgument)
      return door.status().Context("{} with {}", home_.Path("server.pem"),
                                   home_.Path("server.key"));
    FERRY_ASSIGN_OR_RETURN(door_, std::move(door));
    return OkStatus();
  }

  Status StartPresence() {
    Presence::Parts parts;
    parts.store = store_.get();
    parts.row = {run_, HostOfNode(door_->port()), kServerVersion, NewestSchema(home_.StorePlace()),
                 clock_.NowUnixMs()};
    parts.left_behind = [this] {
      door_->StopAccepting();
      gateway_->StopAccepting();
      gateway_->SendAway(gateway_->sessions());
      if (verify_ != nullptr) verify_->SendAway(INT64_MAX);
    };
    presence_ = std::make_unique<Presence>(std::move(parts));
    return presence_->Start();
  }

  size_t VerifierLines() const {
    return verify_ == nullptr ? 0 : static_cast<size_t>(verify_->View().connections);
  }

  void StartDrain() {
    Drain::Parts parts;
    parts.fs = &fs_;
    parts.directory = home_.directory;
    parts.clock = &clock_;
    parts.executor = &drains_;
    parts.stop_accepting = [this] {
      door_->StopAccepting();
      gateway_->StopAccepting();
    };
    parts.sessions = [this] { return gateway_->sessions() + VerifierLines(); };
    parts.send_away = [this](size_t count) {
      const size_t of_devices = std::min(count, gateway_->sessions());
      gateway_->SendAway(of_devices);
      if (verify_ != nullptr && count > of_devices)
        verify_->SendAway(static_cast<int64_t>(count - of_devices));
    };
    parts.transfers = [this] {
      const auto open = static_cast<size_t>(std::max(door_->connections(), 0));
      const size_t lines = gateway_->sessions() + VerifierLines();
      return open - std::min(open, lines);
    };
    drain_ = std::make_unique<Drain>(std::move(parts));
    drain_->Start();
  }

  // A root may have brought in an authority that was made beside the running server.
  void UseCertificates() {
    if (door_ == nullptr) return;
    const Result<std::vector<AuthorityChain>> chains = Authorities(fs_, home_.directory).Chains();
    Status used = chains.status();
    if (chains.ok()) {
      net::ServerOptions server;
      server.certificate_pem = chains->front().server.certificate_pem;
      server.private_key_pem = chains->front().server.private_key_pem;
      for (size_t i = 1; i < chains->size(); ++i) server.further.push_back((*chains)[i].server);
      used = door_->UseCertificates(server);
    }
    if (!used.ok())
      LogError("server", "the devices' door keeps its certificates: {}", used.ToString());
  }

  Status StartKeeper() {
    Keeper::Parts parts;
    parts.store = store_.get();
    parts.registry = registry_.get();
    parts.clock = &clock_;
    parts.limits = &options_.limits;
    parts.once = once_.get();
    FERRY_ASSIGN_OR_RETURN(parts.certificates, CertificatesOf(home_));
    keeper_ = std::make_unique<Keeper>(parts);
    keeper_->Start();
    return OkStatus();
  }

  Status StartAdmin() {
    AdminOptions& admin = admin_options_;
    admin.host = options_.admin.host;
    admin.port = options_.admin.port;
    admin.names = home_.config.names;
    if (!net::IsLoopback(admin.host)) admin.names.push_back(admin.host);
    FERRY_ASSIGN_OR_RETURN(admin.tls, AdminIdentity(fs_, home_, options_.admin));
    admin.proxies = options_.admin.proxies;
    if (admin.tls) {
      FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                             net::CertificateNames(admin.tls->certificate_pem).Context("admin"));
      admin.names.insert(admin.names.end(), names.begin(), names.end());
    }
    admin.store = store_.get();
    admin.blobs = blobs_.get();
    admin.registry = registry_.get();
    admin.rollout = rollout_.get();
    admin.graphs = graphs_.get();
    admin.have_secret = &home_.content_secret;
    admin.campaigns = campaigns_.get();
    admin.clock = &clock_;
    admin.random = &random_;
    admin.tenant = home_.config.tenant;
    admin.device_host = home_.config.device_host;
    admin.device_port = door_->port();
    admin.authority_pin = home_.authority_pin;
    admin.note_fleet = true;
    admin.simulator = simulator_.get();
    admin.upkeep = [this] { return keeper_->View(); };
    admin.collect = [this](bool dry_run) { return keeper_->Collect(dry_run); };
    admin.metrics = [this] { return Metrics(); };
    admin.open_metrics = options_.admin.open_metrics;
    admin.bus_connected = [this] { return bus_->connected(); };
    if (verify_ != nullptr) {
      admin.verify_targets = [this] { return VerifyTargetsJson(verify_->View()); };
      admin.verify_sessions = [this] { return VerifySessionsJson(verify_->View()); };
    }
    admin.draining = [this] { return drain_->draining(); };
    admin.left_behind = [this] { return presence_ != nullptr && presence_->is_left_behind(); };
    admin.sign_in = sign_in_.get();
    FERRY_ASSIGN_OR_RETURN(admin_, AdminServer::Start(admin));
    if (sign_in_ != nullptr) issuer_look_ = std::thread([this] { LookAtIssuer(); });
    return SavePorts(fs_, home_, door_->port(), admin_->port());
  }

  // Beside the start: an issuer that is away keeps nobody from the rest of the server.
  void LookAtIssuer() {
    const Status seen = sign_in_->Look();
    if (seen.ok())
      LogInfo("server", "users may sign in at {}", options_.oidc.issuer);
    else
      LogWarn("server", "nobody can sign in by OIDC yet: {}", seen.ToString());
  }

  std::vector<Metric> Metrics() {
    std::vector<Metric> metrics;
    metrics.push_back({"ferry_devices_connected",
                       "Devices whose line is open",
                       false,
                       {},
                       static_cast<double>(gateway_->sessions())});
    metrics.push_back({"ferry_device_connections",
                       "Connections of the devices' door",
                       false,
                       {},
                       static_cast<double>(door_->connections())});
    const net::TlsServer::Handshakes handshakes = door_->handshakes();
    metrics.push_back({"ferry_device_handshakes_total",
                       "Handshakes that began at the devices' door",
                       true,
                       {},
                       static_cast<double>(handshakes.begun)});
    metrics.push_back({"ferry_device_handshakes_held_back_seconds_total",
                       "How long new connections were kept waiting for their handshake",
                       true,
                       {},
                       static_cast<double>(handshakes.held_back_ms) / 1e3});
    metrics.push_back({"ferry_devices_sent_away_total",
                       "Devices that were told to come back later: for want of room, at the end of "
                       "a line's life, or while draining",
                       true,
                       {},
                       static_cast<double>(gateway_->sent_away())});
    AddContentMetrics(gateway_->content().use(), &metrics);
    const auto add = [&](const char* name, const GatedExecutor& executor) {
      const GatedExecutor::Use use = executor.use();
      const std::vector<std::pair<std::string, std::string>> queue = {{"queue", name}};
      const auto seconds = [](int64_t ns) { return static_cast<double>(ns) / 1e9; };
      metrics.push_back({"ferry_queue_waiting", "Tasks that wait for their thread", false, queue,
                         static_cast<double>(use.waiting)});
      metrics.push_back({"ferry_queue_tasks_total", "Tasks that ran", true, queue,
                         static_cast<double>(use.tasks)});
      metrics.push_back({"ferry_queue_busy_seconds_total", "How long tasks ran", true, queue,
                         seconds(use.busy_ns)});
      metrics.push_back({"ferry_queue_last_seconds",
                         "How long the last task ran; of the rollout, "
                         "a tick",
                         false, queue, seconds(use.last_ns)});
    };
    add("rollout", ticker_);
    add("simulations", simulations_);
    add("deltas", deltas_);
    for (size_t i = 0; i < sessions_.size(); ++i)
      add(fmt::format("sessions{}", i).c_str(), *sessions_[i]);
    return metrics;
  }

  // A simulation and a delta may take minutes. The store remembers what is under way, and the next
  // start runs it again: after a grace the process simply ends.
  void CloseSimulations() {
    auto closed = std::async(std::launch::async, [this] {
      simulations_.Close();
      deltas_.Close();
    });
    if (closed.wait_for(kSimulationGrace) == std::future_status::ready) return;
    LogWarn("server", "a simulation or a delta is under way: it will run again at the next start");
    std::_Exit(0);
  }

  sys::FileSystem& fs_ = sys::SystemFileSystem();
  sys::Clock& clock_ = sys::SystemClock();
  sys::Random& random_ = sys::SystemRandom();
  const ServerHome& home_;
  KeyFiles keys_{fs_, home_.directory, [this] { UseCertificates(); }};
  NodeOptions options_;
  AdminOptions admin_options_;
  net::IoThreads io_{kIoThreads};
  GatedExecutor ticker_{"rollout"}, writer_{"reports"}, simulations_{"simulations"};
  GatedExecutor deltas_{"deltas"}, drains_{"drains"}, root_looks_{"root"};
  RootWatch root_watch_{root_looks_};
  std::vector<std::unique_ptr<GatedExecutor>> sessions_;
  std::unique_ptr<Store> store_;
  std::string run_;             // what tells this run from others; empty: this node is alone
  std::unique_ptr<Once> once_;  // null: this node is alone
  std::unique_ptr<BlobStore> blobs_;
  std::unique_ptr<Bus> bus_;
  std::unique_ptr<Registry> registry_;
  std::unique_ptr<Simulator> simulator_;
  std::unique_ptr<Graphs> graphs_;
  std::unique_ptr<Rollout> rollout_;
  std::unique_ptr<DeltaMaker> delta_maker_;
  std::unique_ptr<Campaigns> campaigns_;
  std::unique_ptr<Ingest> ingest_;
  std::unique_ptr<Gateway> gateway_;
  std::unique_ptr<VerifyDoor> verify_;
  std::unique_ptr<net::TlsServer> door_;
  std::unique_ptr<Drain> drain_;
  std::unique_ptr<Presence> presence_;  // null: this node is alone
  std::unique_ptr<Keeper> keeper_;
  std::unique_ptr<Webhooks> webhooks_;
  std::unique_ptr<oidc::SignIn> sign_in_;
  std::thread issuer_look_;
  std::unique_ptr<AdminServer> admin_;
};

}  // namespace

Result<std::unique_ptr<Node>> Node::Start(const ServerHome& home, const NodeOptions& options) {
  auto node = std::make_unique<RunningNode>(home, options);
  FERRY_TRY(node->Start());
  return std::unique_ptr<Node>(std::move(node));
}

Status WithAdmin(const ServerHome& home, const std::function<Status(const AdminOptions&)>& use) {
  FERRY_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, OpenTruth(home));
  // Without the content: opening it would empty what a running server takes in.
  Registry::Options registry_options;
  registry_options.store = store.get();
  registry_options.clock = &sys::SystemClock();
  registry_options.random = &sys::SystemRandom();
  registry_options.secrets = &home.secrets;
  KeyFiles keys(sys::SystemFileSystem(), home.directory);
  registry_options.keys = &keys;
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

Status WithAudit(const ServerHome& home, const std::string& command, const std::string& target,
                 const std::function<Status(const AdminOptions&)>& use) {
  return WithAdmin(home, [&](const AdminOptions& admin) -> Status {
    AuditEntry entry;
    entry.time_ms = admin.clock->NowUnixMs();
    entry.user = fmt::format("os:{}", ::getuid());
    entry.source = "local";
    entry.action = command;
    entry.target = target;
    AuditScope scope(*admin.store, entry);
    const Status status = use(admin);
    const Status written = scope.Finish(status);
    return status.ok() ? written : status;
  });
}

}  // namespace ferry::server
