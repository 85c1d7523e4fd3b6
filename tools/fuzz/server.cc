#include "tools/fuzz/server.h"

#include "cloud-server/rollout/new_release.h"
#include "common/base/check.h"
#include "common/base/json.h"
#include "common/crypto/hash.h"
#include "common/package/artefact.h"
#include "common/trust/builder.h"
#include "common/trust/time.h"

namespace ferry::fuzz {
namespace {

template <typename T>
T Must(Result<T> result) {
  CHECK(result.ok()) << result.status().ToString();
  return std::move(*result);
}

server::OnlineSecrets MakeSecrets(sys::Random& random) {
  return {crypto::SigningKey::Generate(random), crypto::SigningKey::Generate(random),
          crypto::SigningKey::Generate(random), crypto::AgreementKey::Generate(random)};
}

}  // namespace

FuzzServer::FuzzServer()
    : store(Must(server::OpenMemoryStore())),
      blobs(Must(server::OpenDirectoryBlobStore(fs, "/content", world.random()))),
      secrets(MakeSecrets(world.random())),
      content_secret(crypto::Secret32::Generate(world.random())) {
  server::Registry::Options of_registry;
  of_registry.store = store.get();
  of_registry.blobs = blobs.get();
  of_registry.clock = &world.clock();
  of_registry.random = &world.random();
  of_registry.secrets = &secrets;
  registry = std::make_unique<server::Registry>(of_registry);
  server::Rollout::Options of_rollout;
  of_rollout.store = store.get();
  of_rollout.registry = registry.get();
  of_rollout.bus = bus.get();
  of_rollout.clock = &world.clock();
  of_rollout.random = &world.random();
  rollout = std::make_unique<server::Rollout>(of_rollout);
  server::Campaigns::Options of_campaigns;
  of_campaigns.store = store.get();
  of_campaigns.rollout = rollout.get();
  of_campaigns.clock = &world.clock();
  campaigns = std::make_unique<server::Campaigns>(of_campaigns);
  ingest = std::make_unique<server::Ingest>(*store, world.clock());
  Publish();
  AddRows();
}

void FuzzServer::Publish() {
  const int64_t now_ms = world.clock().NowUnixMs();
  const crypto::SigningKey root_key = crypto::SigningKey::Generate(world.random());
  const crypto::SigningKey targets_key = crypto::SigningKey::Generate(world.random());
  trust::Root root;
  root.expires_ms = now_ms + 365 * trust::kDayMs;
  root.AddKey(root.root, root_key.public_key());
  root.AddKey(root.targets, targets_key.public_key());
  root.AddKey(root.snapshot, secrets.snapshot.public_key());
  root.AddKey(root.timestamp, secrets.timestamp.public_key());
  root.AddKey(root.director, secrets.director.public_key());
  root.escrow = secrets.escrow.public_key();
  CHECK(registry->PutRoot(Must(trust::SignRoot(root, {&root_key, 1}))).ok());

  CHECK(fs.MakeDirectories("/sealing").ok());
  const package::SealedArtefact sealed = Must(package::SealArtefact(
      fs, "/sealing/sealed", AsBytes(std::string_view("package one")), world.random()));
  CHECK(blobs->PutBytes(ToHex(sealed.sha256), Must(sys::ReadFile(fs, "/sealing/sealed"))).ok());
  trust::TargetEntry entry;
  entry.package = "digits";
  entry.version = "1.0.0";
  entry.release_counter = 1;
  entry.length = sealed.length;
  entry.sha256 = sealed.sha256;
  entry.plain_length = sealed.plain_length;
  entry.plain_sha256 = sealed.plain_sha256;
  const std::string path = trust::FullPath("digits", "1.0.0");
  trust::Targets targets;
  targets.version = 1;
  targets.expires_ms = now_ms + 90 * trust::kDayMs;
  targets.entries[path] = entry;
  server::Publication publication;
  publication.targets = Must(trust::SignTargets(targets, {&targets_key, 1}));
  publication.keys.push_back(
      {path, Must(package::WrapForEscrow(root.escrow, entry, sealed.content_key, world.random()))});
  const auto published = registry->Publish(std::move(publication));
  CHECK(published.ok());
}

void FuzzServer::Release() {
  server::NewRelease release;
  release.package = "digits";
  release.version = "1.0.0";
  release.plan = Must(ParseJson(
      R"json({"rule":"os == \"android\"","stages":[{"kind":"full","min_reports":1}]})json"));
  const server::ReleaseRow row = Must(rollout->Create(release));
  (void)Must(rollout->Do(row.id, server::command::Start{"fuzz"}));
}

void FuzzServer::AddRows() {
  server::JoinTokenRow token;
  token.id = "t";
  token.secret_sha256 = crypto::Sha256Hex(join_secret);
  token.uses_left = kJoinUses;
  token.expires_ms = world.clock().NowUnixMs() + trust::kDayMs;
  server::DeviceRow device;
  device.id = "d1";
  device.os = "linux";
  device.app_version = "1.4.0";
  device.seal_public = ToBytes(crypto::AgreementKey::Generate(world.random()).public_key());
  const Status written = store->Write([&](server::Transaction& tx) -> Status {
    FERRY_TRY(tx.access().PutJoinToken(token));
    return tx.devices().Put(device);
  });
  CHECK(written.ok()) << written.ToString();
}

}  // namespace ferry::fuzz
