#include "cloud-server/registry/online.h"

#include "cloud-server/core/counters.h"
#include "common/trust/builder.h"
#include "common/trust/envelope.h"

namespace ferry::server {
namespace {

// The newest document of a role; version 0 when there is none.
Result<MetadataRow> NewestOrNone(Transaction& tx, const std::string& role) {
  Result<MetadataRow> row = tx.packages().Metadata(role, 0);
  if (row.code() == Code::kNotFound) return MetadataRow{role, 0, {}, 0};
  return row;
}

// A name that a snapshot had never goes from the next one, or devices take it for a rollback: bins
// of another spread stay as they were last.
Status AddNamedBefore(const MetadataRow& snapshot,
                      std::map<std::string, trust::MetaFile, std::less<>>* files) {
  if (snapshot.version == 0) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const trust::Envelope envelope, trust::ParseEnvelope(snapshot.document));
  FERRY_ASSIGN_OR_RETURN(const trust::Snapshot before,
                         trust::SnapshotFromJson(envelope.signed_part));
  files->insert(before.files.begin(), before.files.end());
  return OkStatus();
}

}  // namespace

OnlineOptions OnlineOptionsOf(const Registry::Options& options, const OnlineSecrets& secrets) {
  return {&secrets, options.clock->NowUnixMs(), options.snapshot_life_ms,
          options.timestamp_life_ms};
}

Result<crypto::Secret32> OpenEscrow(const OnlineSecrets& secrets, const trust::TargetEntry& entry,
                                    const package::WrappedKey& wrapped) {
  auto opened = package::UnwrapEscrow(secrets.escrow, entry, wrapped);
  for (const crypto::AgreementKey& old : secrets.old_escrow) {
    if (opened.code() != Code::kWrongKey) break;
    if (auto key = package::UnwrapEscrow(old, entry, wrapped); key.ok()) return key;
  }
  return opened;
}

bool IsDue(const MetadataRow& row, int64_t now_ms, int64_t life_ms) {
  return row.version == 0 || row.expires_ms - now_ms < life_ms / 2;
}

Result<trust::Root> NewestRoot(Store& store) {
  MetadataRow row;
  Status status = store.Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(row, tx.packages().Metadata("root", 0));
    return OkStatus();
  });
  if (status.code() == Code::kNotFound)
    return Status(Code::kFailedPrecondition, "this server has no root metadata yet");
  FERRY_TRY(status);
  return trust::ParseSelfSignedRoot(row.document);
}

Result<trust::TargetsDocuments> StoredTargets(Transaction& tx) {
  trust::TargetsDocuments out;
  FERRY_ASSIGN_OR_RETURN(MetadataRow top, tx.packages().Metadata("targets", 0));
  out.top = std::move(top.document);
  if (top.bins == 0) return out;
  FERRY_ASSIGN_OR_RETURN(const trust::Envelope envelope, trust::ParseEnvelope(out.top));
  FERRY_ASSIGN_OR_RETURN(const trust::Targets targets,
                         trust::TargetsFromJson(envelope.signed_part));
  for (const auto& [name, version] : trust::BinsOf(targets)) {
    FERRY_ASSIGN_OR_RETURN(MetadataRow bin, tx.packages().Metadata(name, version));
    out.bins[name] = std::move(bin.document);
  }
  return out;
}

Status SignChain(Transaction& tx, const OnlineOptions& options, bool targets_changed) {
  FERRY_ASSIGN_OR_RETURN(MetadataRow targets, NewestOrNone(tx, "targets"));
  if (targets.version == 0) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(MetadataRow snapshot, NewestOrNone(tx, "snapshot"));
  FERRY_ASSIGN_OR_RETURN(MetadataRow timestamp, NewestOrNone(tx, "timestamp"));
  bool snapshot_changed = false;
  if (targets_changed || IsDue(snapshot, options.now_ms, options.snapshot_life_ms)) {
    std::map<std::string, trust::MetaFile, std::less<>> files = {
        {"targets.json", trust::MetaOf(targets.document, targets.version)}};
    if (targets.bins > 0) {
      FERRY_ASSIGN_OR_RETURN(const trust::TargetsDocuments documents, StoredTargets(tx));
      FERRY_ASSIGN_OR_RETURN(files, trust::MetaOfAll(documents));
    }
    FERRY_TRY(AddNamedBefore(snapshot, &files));
    snapshot.version = NextNumber(snapshot.version, options.now_ms);
    snapshot.expires_ms = options.now_ms + options.snapshot_life_ms;
    FERRY_ASSIGN_OR_RETURN(snapshot.document,
                           trust::SignSnapshot(std::move(files), snapshot.version,
                                               snapshot.expires_ms, options.secrets->snapshot));
    FERRY_TRY(tx.packages().PutMetadata(snapshot));
    snapshot_changed = true;
  }
  if (!snapshot_changed && !IsDue(timestamp, options.now_ms, options.timestamp_life_ms))
    return OkStatus();
  timestamp.version = NextNumber(timestamp.version, options.now_ms);
  timestamp.expires_ms = options.now_ms + options.timestamp_life_ms;
  FERRY_ASSIGN_OR_RETURN(
      timestamp.document,
      trust::SignTimestamp(snapshot.document, snapshot.version, timestamp.version,
                           timestamp.expires_ms, options.secrets->timestamp));
  return tx.packages().PutMetadata(timestamp);
}

}  // namespace ferry::server
