// The server's side of the fleet.
#include "cloud-server/store/test_store.h"
#include "common/crypto/hash.h"
#include "tests/e2e/fleet.h"

namespace ferry::e2e {
namespace {

constexpr int64_t kYearMs = 365 * int64_t{86'400'000};

server::OnlineSecrets MakeSecrets(sys::Random& random) {
  return {trust::SigningKey::Generate(random), trust::SigningKey::Generate(random),
          trust::SigningKey::Generate(random), crypto::AgreementKey::Generate(random)};
}

}  // namespace

Server::Server(sys::SimWorld& world_in, sys::SimNetwork& network_in, server::Simulator* simulator,
               const std::string& tenant_in)
    : world(world_in),
      network(network_in),
      tenant(tenant_in),
      executor(world.MakeExecutor()),
      secrets(MakeSecrets(world.random())),
      content_secret(crypto::Secret32::Generate(world.random())),
      store(server::OpenTestStore().value()),
      blobs(server::OpenDirectoryBlobStore(disk, "/blobs", world.random()).value()),
      bus(server::MakeInprocBus()) {
  server::Registry::Options registry_options;
  registry_options.store = store.get();
  registry_options.blobs = blobs.get();
  registry_options.clock = &world.clock();
  registry_options.random = &world.random();
  registry_options.secrets = &secrets;
  registry = std::make_unique<server::Registry>(registry_options);
  server::Rollout::Options rollout_options;
  rollout_options.tenant = tenant;
  rollout_options.store = store.get();
  rollout_options.registry = registry.get();
  rollout_options.bus = bus.get();
  rollout_options.clock = &world.clock();
  rollout_options.random = &world.random();
  rollout_options.simulator = simulator;
  rollout_options.ticker = executor.get();
  rollout = std::make_unique<server::Rollout>(rollout_options);
  EXPECT_TRUE(rollout->Start().ok());
  ingest = std::make_unique<server::Ingest>(*store, world.clock());
  server::Gateway::Options gateway_options;
  gateway_options.store = store.get();
  gateway_options.blobs = blobs.get();
  gateway_options.registry = registry.get();
  gateway_options.rollout = rollout.get();
  gateway_options.bus = bus.get();
  gateway_options.ingest = ingest.get();
  gateway_options.clock = &world.clock();
  gateway_options.random = &world.random();
  gateway_options.content_secret = &content_secret;
  gateway = std::make_unique<server::Gateway>(gateway_options);
  network.Listen(
      kServer, *executor, [this](auto channel) { gateway->Accept(std::move(channel), *executor); },
      &gateway->content());
}

Server::~Server() {
  network.StopListening(kServer);
  gateway.reset();
  rollout.reset();
}

trust::JoinToken Server::Token(const Bytes& root_document, int64_t uses) {
  trust::JoinToken token;
  token.tenant = tenant;
  token.host = kServer.host;
  token.port = kServer.port;
  token.authority = "sha256:" + std::string(64, '0');
  token.root_sha256 = crypto::Sha256(root_document);
  token.secret.resize(32);
  world.random().Fill(token.secret);
  server::JoinTokenRow row;
  row.id = ToHex(ByteView(token.secret).first(8));
  row.tenant = tenant;
  row.secret_sha256 = crypto::Sha256Hex(token.secret);
  row.created_ms = world.clock().NowUnixMs();
  row.expires_ms = row.created_ms + kYearMs;
  row.uses_left = uses;
  EXPECT_TRUE(
      store->Write([&](server::Transaction& tx) { return tx.access().PutJoinToken(row); }).ok());
  return token;
}

server::ReleaseRow Server::Release(const std::string& id) {
  server::ReleaseRow row;
  EXPECT_TRUE(store
                  ->Read([&](server::Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(row, tx.releases().Get(id));
                    return OkStatus();
                  })
                  .ok());
  return row;
}

std::vector<server::EventRow> Server::Events(const std::string& id) {
  std::vector<server::EventRow> events;
  EXPECT_TRUE(store
                  ->Read([&](server::Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(events, tx.releases().Events(id, 0, 1000));
                    return OkStatus();
                  })
                  .ok());
  return events;
}

Result<server::SimulationOutcome> VerdictSimulator::Run(const server::SimulationOrder& order) {
  server::SimulationOutcome outcome;
  const auto failure = failures.find(order.version);
  outcome.passed = failure == failures.end();
  outcome.text = outcome.passed ? "all cases passed" : failure->second;
  outcome.numbers_json = "{}";
  return outcome;
}

}  // namespace ferry::e2e
