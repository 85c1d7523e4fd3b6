#include "tools/fleetsim/world/backend.h"

#include "common/crypto/hash.h"
#include "tools/fleetsim/agents/agents.h"
#include "tools/fleetsim/faults/fault.h"
#include "tools/fleetsim/small/fleet.h"

namespace ferry::fleetsim {
namespace {

// A server ticks twice a second; days of that would be most of the work. Each tick of a large fleet
// looks at a page of those who have not answered.
constexpr int64_t kSimulatedTickMs = 15'000, kLargeFleetTickMs = 60'000;
// And counts it as often from its members as a run can afford: an invariant counts at its end.
constexpr int64_t kLargeFleetRecountMs = 6 * kHourMs;

server::OnlineSecrets MakeOnlineSecrets(sys::Random& random) {
  return {crypto::SigningKey::Generate(random), crypto::SigningKey::Generate(random),
          crypto::SigningKey::Generate(random), crypto::AgreementKey::Generate(random)};
}

Status NoSimulatedDrafts() {
  return Status(Code::kUnsupported, "no drafts are tried here");
}

}  // namespace

void FleetBus::Publish(const std::string& device, uint64_t epoch) {
  if (!sim_.small().Wake(device)) sessions_->Publish(device, epoch);
}

std::set<std::string> FleetBus::Listening() const {
  std::set<std::string> devices = sessions_->Listening();
  sim_.small().AddListening(&devices);
  return devices;
}

bool FleetBus::IsListening(const std::string& device) const {
  const int64_t small = sim_.small().NumberOf(device);
  return small < 0 ? sessions_->IsListening(device) : sim_.small().IsListening(small);
}

Result<server::SimulationOutcome> CaseSimulator::Run(const server::SimulationOrder& order) {
  server::SimulationOutcome outcome;
  outcome.passed = !failing.contains(order.version);
  outcome.text = outcome.passed ? "all cases passed" : "case \"image 25\": expected 4, got 9";
  outcome.numbers_json = "{}";
  return outcome;
}

Result<Json> CaseSimulator::Try(const server::Draft&) {
  return NoSimulatedDrafts();
}

Result<std::unique_ptr<sys::ReadableFile>> CaseSimulator::Make(const server::Draft&) {
  return NoSimulatedDrafts();
}

Backend::Backend(Sim& sim)
    : clock(sim.world().clock()),
      secrets(MakeOnlineSecrets(sim.world().random())),
      content_secret(crypto::Secret32::Generate(sim.world().random())),
      bus(sim),
      sim_(sim) {}

Backend::~Backend() {
  Stop();
}

Status Backend::Start() {
  sys::SimWorld& world = sim_.world();
  if (store == nullptr) {
    FERRY_ASSIGN_OR_RETURN(store, FaultyStore::Open(clock, DiskSeed()));
    store->OnPowerCut([this] { sim_.executor().PostAfter(0, [this] { LosePower(); }); });
    FERRY_ASSIGN_OR_RETURN(blobs, server::OpenDirectoryBlobStore(disk, "/blobs", world.random()));
  }
  executor_ = world.MakeExecutor();
  writer_ = std::make_unique<CommitExecutor>(
      world.MakeExecutor(),
      sim_.scenario().devices > kSlowCommitDevices ? kSlowCommitMs : kCommitMs);
  server::Registry::Options options;
  options.store = store.get();
  options.blobs = blobs.get();
  options.clock = &clock;
  options.random = &world.random();
  options.secrets = &secrets;
  registry = std::make_unique<server::Registry>(options);
  ingest = std::make_unique<server::Ingest>(*store, clock);
  MakeRollout();
  FERRY_TRY(rollout->Start());
  MakeGateway();
  return OkStatus();
}

uint64_t Backend::DiskSeed() const {
  // Not for nothing: the large fleets have no such faults, and a disk costs them memory.
  for (const char* name : {"server_power_cut", "server_bad_disk"})
    if (sim_.RateOf(*FaultCalled(name)) > 0) return sim_.options().seed + 1;
  return 0;
}

void Backend::LosePower() {
  const bool ran = started();
  Die();
  if (const Status up = store->PowerUp(); !up.ok())
    return sim_.Violate("store_opens_after_a_power_cut", up.ToString());
  if (!ran) return;  // somebody starts it already
  const auto down_ms = 500 + static_cast<int64_t>(sim_.random().Below(60'000));
  sim_.executor().PostAfter(down_ms, [this] { sim_.StartServer(); });
}

void Backend::MakeRollout() {
  server::Rollout::Options options;
  options.store = store.get();
  options.registry = registry.get();
  options.bus = &bus;
  options.clock = &clock;
  options.random = &sim_.world().random();
  options.simulator = &cases;
  if (starts_++ == 0 || !sim_.Planted("ticker_stops")) options.ticker = executor_.get();
  options.writer = writer_.get();
  const bool large = sim_.scenario().devices > kSlowCommitDevices;
  options.tick_ms = large ? kLargeFleetTickMs : kSimulatedTickMs;
  if (large) options.recount_ms = kLargeFleetRecountMs;
  rollout = std::make_unique<server::Rollout>(options);
}

void Backend::MakeGateway() {
  server::Gateway::Options options;
  options.store = store.get();
  options.blobs = blobs.get();
  options.registry = registry.get();
  options.rollout = rollout.get();
  options.bus = &bus;
  options.ingest = ingest.get();
  options.clock = &clock;
  options.random = &sim_.world().random();
  options.content_secret = &content_secret;
  gateway = std::make_unique<server::Gateway>(options);
  sim_.network().Listen(
      kServer, *executor_,
      [this](auto channel) { gateway->Accept(std::move(channel), *executor_); },
      &gateway->content());
}

void Backend::Stop() {
  sim_.network().StopListening(kServer);
  sim_.network().CutChannels(kServer.host);
  // A process that dies runs nothing more: its tasks go first.
  writer_.reset();
  gateway.reset();
  rollout.reset();
  executor_.reset();
  ingest.reset();
  registry.reset();
}

void Backend::Die() {
  if (!started()) return Stop();
  Stop();
  sim_.small().BreakLines();
}

void Backend::StallUntil(int64_t virtual_ms) {
  stalled_until_ms_ = std::max(stalled_until_ms_, virtual_ms);
  sim_.network().SetReachable(kServer.host, false);
  sim_.executor().PostAfter(virtual_ms - sim_.now_ms(), [this] {
    if (sim_.now_ms() >= stalled_until_ms_) sim_.network().SetReachable(kServer.host, true);
  });
}

bool Backend::answers() const {
  return started() && sim_.now_ms() >= stalled_until_ms_;
}

trust::JoinToken Backend::Token(const Bytes& root_document, int64_t uses) {
  trust::JoinToken token;
  token.tenant = "default";
  token.host = kServer.host;
  token.port = kServer.port;
  token.authority = "sha256:" + std::string(64, '0');
  token.root_sha256 = crypto::Sha256(root_document);
  token.secret.resize(32);
  sim_.world().random().Fill(token.secret);
  server::JoinTokenRow row;
  row.id = ToHex(ByteView(token.secret).first(8));
  row.secret_sha256 = crypto::Sha256Hex(token.secret);
  row.created_ms = sim_.world().clock().NowUnixMs();
  row.expires_ms = row.created_ms + 365 * kDayMs;
  row.uses_left = uses;
  (void)store->Write([&](server::Transaction& tx) { return tx.access().PutJoinToken(row); });
  return token;
}

Result<server::ReleaseRow> Backend::Release(const std::string& id) {
  server::ReleaseRow row;
  FERRY_TRY(store->Read([&](server::Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(row, tx.releases().Get(id));
    return OkStatus();
  }));
  return row;
}

}  // namespace ferry::fleetsim
