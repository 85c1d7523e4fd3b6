#include "tools/fleetsim/world/publisher.h"

#include "common/package/artefact.h"
#include "common/package/manifest.h"
#include "common/package/writer.h"
#include "tools/fleetsim/world/backend.h"

namespace ferry::fleetsim {
namespace {

constexpr int64_t kMetadataLifeMs = 365 * kDayMs;
constexpr size_t kWeightBytes = 3'000;

}  // namespace

Publisher::Publisher(Sim& sim)
    : sim_(sim),
      root_key_(trust::SigningKey::Generate(sim.world().random())),
      targets_key_(trust::SigningKey::Generate(sim.world().random())) {
  targets.version = 0;
}

Status Publisher::PutRoot() {
  const trust::OnlineKeys online = server::PublicKeysOf(sim_.backend().secrets);
  root.expires_ms = sim_.world().clock().NowUnixMs() + kMetadataLifeMs;
  root.AddKey(root.root, root_key_.public_key());
  root.AddKey(root.targets, targets_key_.public_key());
  root.AddKey(root.snapshot, online.snapshot);
  root.AddKey(root.timestamp, online.timestamp);
  root.AddKey(root.director, online.director);
  root.escrow = online.escrow;
  const trust::SigningKey signers[] = {root_key_};
  FERRY_ASSIGN_OR_RETURN(root_document, trust::SignRoot(root, signers));
  return AsStatus(sim_.backend().registry->PutRoot(root_document));
}

Status Publisher::Publish(uint8_t number) {
  Version& version = sim_.versions()[number];
  sys::Random& random = sim_.world().random();
  package::Manifest manifest;
  manifest.name = kPackage;
  manifest.version = version.name;
  Bytes weights(kWeightBytes);
  random.Fill(weights);
  FERRY_ASSIGN_OR_RETURN(const Bytes plain,
                         package::WritePackage(manifest, {{"weights", weights}}));
  trust::TargetEntry& entry = version.entry;
  entry.package = kPackage;
  entry.version = version.name;
  entry.release_counter = ++counter_;
  entry.plain_sha256 = plain_[number] = crypto::Sha256(plain);
  entry.plain_length = plain.size();
  if (version.fallback != kNoVersion)
    entry.fallback =
        trust::Fallback{sim_.versions()[version.fallback].name, plain_[version.fallback]};
  FERRY_ASSIGN_OR_RETURN(const auto sealed, package::SealArtefact(disk_, "/sealed", plain, random));
  entry.length = sealed.length;
  entry.sha256 = sealed.sha256;
  version.path = trust::FullPath(kPackage, version.name);
  targets.entries[version.path] = entry;
  FERRY_ASSIGN_OR_RETURN(const Bytes bytes, sys::ReadFile(disk_, "/sealed"));
  FERRY_TRY(sim_.backend().blobs->PutBytes(ToHex(sealed.sha256), bytes));
  server::Publication publication;
  FERRY_ASSIGN_OR_RETURN(auto wrapped,
                         package::WrapForEscrow(root.escrow, entry, sealed.content_key, random));
  publication.keys.push_back({version.path, std::move(wrapped)});
  ++targets.version;
  targets.expires_ms = sim_.world().clock().NowUnixMs() + kMetadataLifeMs;
  const trust::SigningKey signers[] = {targets_key_};
  FERRY_ASSIGN_OR_RETURN(publication.targets, trust::SignTargets(targets, signers));
  FERRY_TRY(sim_.backend().registry->Publish(publication));
  version.published = true;
  return OkStatus();
}

}  // namespace ferry::fleetsim
