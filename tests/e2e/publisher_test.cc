// The publisher's side of the fleet.
#include "common/crypto/hash.h"
#include "common/package/artefact.h"
#include "common/package/manifest.h"
#include "common/package/writer.h"
#include "tests/e2e/fleet.h"

namespace ferry::e2e {
namespace {

constexpr int64_t kMetadataYearMs = 365 * int64_t{86'400'000};

}  // namespace

Publisher::Publisher(sys::SimWorld& world_in, Server& server_in)
    : world(world_in),
      server(server_in),
      root_key(trust::SigningKey::Generate(world.random())),
      targets_key(trust::SigningKey::Generate(world.random())) {
  const trust::OnlineKeys online = server::PublicKeysOf(server.secrets);
  root.expires_ms = world.clock().NowUnixMs() + kMetadataYearMs;
  root.AddKey(root.root, root_key.public_key());
  root.AddKey(root.targets, targets_key.public_key());
  root.AddKey(root.snapshot, online.snapshot);
  root.AddKey(root.timestamp, online.timestamp);
  root.AddKey(root.director, online.director);
  root.escrow = online.escrow;
  const trust::SigningKey signers[] = {root_key};
  root_document = trust::SignRoot(root, signers).value();
  const auto taken = server.registry->PutRoot(root_document);
  EXPECT_TRUE(taken.ok()) << taken.status().ToString();
  targets.version = 0;
}

void Publisher::Publish(const std::string& version, const std::string& behaviour,
                        const std::string& base, const std::string& fallback) {
  package::Manifest manifest;
  manifest.name = "digits";
  manifest.version = version;
  Bytes weights(30'000);
  sys::SeededRandom(5).Fill(weights);
  weights[7] = static_cast<uint8_t>(++counter);
  packages[version] =
      package::WritePackage(manifest, {{"behaviour", AsBytes(behaviour)}, {"weights", weights}})
          .value();
  trust::TargetEntry entry;
  entry.package = "digits";
  entry.version = version;
  entry.release_counter = counter;
  entry.plain_sha256 = crypto::Sha256(packages[version]);
  entry.plain_length = packages[version].size();
  if (!fallback.empty()) {
    entry.fallback = trust::Fallback{fallback, crypto::Sha256(packages[fallback])};
  }
  server::Publication publication;
  const auto add = [&](const std::string& path, const package::SealedArtefact& sealed) {
    entry.length = sealed.length;
    entry.sha256 = sealed.sha256;
    targets.entries[path] = entry;
    const Bytes bytes = sys::ReadFile(disk, "/sealed").value();
    ASSERT_TRUE(server.blobs->PutBytes(ToHex(sealed.sha256), bytes).ok());
    publication.keys.push_back(
        {path,
         package::WrapForEscrow(root.escrow, entry, sealed.content_key, world.random()).value()});
  };
  add(trust::FullPath("digits", version),
      package::SealArtefact(disk, "/sealed", packages[version], world.random()).value());
  if (!base.empty()) {
    entry.kind = trust::ArtefactKind::kDelta;
    entry.base_version = base;
    entry.base_sha256 = crypto::Sha256(packages[base]);
    add(trust::DeltaPath("digits", version, base),
        package::SealDelta(disk, "/sealed", packages[base], packages[version], world.random())
            .value());
  }
  ++targets.version;
  targets.expires_ms = world.clock().NowUnixMs() + kMetadataYearMs;
  const trust::SigningKey signers[] = {targets_key};
  publication.targets = trust::SignTargets(targets, signers).value();
  const auto published = server.registry->Publish(publication);
  ASSERT_TRUE(published.ok()) << published.status().ToString();
}

}  // namespace ferry::e2e
