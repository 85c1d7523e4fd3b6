#include <map>

#include "cloud-server/registry/entries.h"
#include "cloud-server/registry/online.h"
#include "cloud-server/registry/registry.h"
#include "common/trust/builder.h"
#include "common/trust/envelope.h"
#include "common/trust/time.h"

namespace ferry::server {
namespace {

using KeysByPath = std::map<std::string, const package::WrappedKey*>;

// The newest targets that are stored, checked again; null when there are none.
Result<std::unique_ptr<trust::Targets>> Stored(Store& store) {
  MetadataRow row;
  Status status = store.Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(row, tx.packages().Metadata("targets", 0));
    return OkStatus();
  });
  if (status.code() == Code::kNotFound) return std::unique_ptr<trust::Targets>();
  FERRY_TRY(status);
  // Signed by keys that a later root may have dropped: its form only.
  FERRY_ASSIGN_OR_RETURN(trust::Envelope envelope, trust::ParseEnvelope(row.document));
  FERRY_ASSIGN_OR_RETURN(trust::Targets targets, trust::TargetsFromJson(envelope.signed_part));
  return std::make_unique<trust::Targets>(std::move(targets));
}

// Blob and content key of one new path.
Status CheckContent(BlobStore& blobs, const OnlineSecrets& secrets, const std::string& path,
                    const trust::TargetEntry& entry, const KeysByPath& keys) {
  auto key = keys.find(path);
  if (key == keys.end())
    return Status::Of(Code::kInvalidArgument, "{}: its content key is missing", path);
  FERRY_ASSIGN_OR_RETURN(uint64_t length, blobs.Size(ToHex(entry.sha256)).Context("{}", path));
  if (length != entry.length)
    return Status::Of(Code::kCorruptContent, "{}: the content has {} bytes, {} were signed", path,
                      length, entry.length);
  return AsStatus(package::UnwrapEscrow(secrets.escrow, entry, *key->second))
      .Context("{}: its content key", path);
}

}  // namespace

Result<std::vector<PackageRow>> Registry::Publish(const Publication& publication) {
  if (!publication.root.empty()) FERRY_TRY(PutRoot(publication.root));
  std::lock_guard lock(publish_mutex_);
  const int64_t now_ms = options_.clock->NowUnixMs();
  FERRY_ASSIGN_OR_RETURN(trust::Root root, NewestRoot(*options_.store));
  FERRY_ASSIGN_OR_RETURN(trust::Targets next, trust::OpenTargets(root, publication.targets));
  if (next.expires_ms <= now_ms)
    return Status::Of(Code::kExpired, "targets version {} expired at {}", next.version,
                      trust::FormatTime(next.expires_ms));
  FERRY_ASSIGN_OR_RETURN(std::unique_ptr<trust::Targets> before, Stored(*options_.store));
  if (before != nullptr && next.version < before->version)
    return Status::Of(Code::kVersionRollback, "targets version {} is below {}, the present one",
                      next.version, before->version);
  if (before != nullptr && next.version == before->version && !(before->entries == next.entries))
    return Status::Of(Code::kVersionRollback, "targets version {} is there with other content",
                      next.version);
  FERRY_TRY(CheckSuccession(before.get(), next));

  KeysByPath keys;
  for (const Publication::Key& key : publication.keys) keys[key.path] = &key.wrapped;
  std::vector<PackageRow> packages;
  std::vector<ArtefactRow> artefacts;
  for (const auto& [path, entry] : next.entries) {
    if (before != nullptr && before->entries.contains(path)) continue;
    FERRY_TRY(CheckContent(*options_.blobs, *options_.secrets, path, entry, keys));
    ArtefactRow& row = artefacts.emplace_back(ArtefactOf(path, entry));
    row.escrow_enc = keys[path]->enc;
    row.escrow_sealed = keys[path]->sealed;
    if (entry.kind == trust::ArtefactKind::kFull) packages.push_back(PackageOf(entry, now_ms));
  }
  if (before != nullptr && next.version == before->version) return packages;

  FERRY_TRY(options_.store->Write([&](Transaction& tx) -> Status {
    for (const PackageRow& row : packages) FERRY_TRY(tx.packages().Put(row));
    for (const ArtefactRow& row : artefacts) FERRY_TRY(tx.packages().PutArtefact(row));
    FERRY_TRY(
        tx.packages().PutMetadata({"targets", next.version, publication.targets, next.expires_ms}));
    return SignChain(tx, OnlineOptionsOf(options_), true);
  }));
  return packages;
}

}  // namespace ferry::server
