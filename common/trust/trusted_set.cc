#include "common/trust/trusted_set.h"

#include <algorithm>

#include "common/trust/documents/checks.h"
#include "common/trust/envelope.h"

namespace ferry::trust {
namespace {

std::string Named(std::string_view role, int64_t version) {
  return fmt::format("{} version {}", role, version);
}

bool LostKey(const RoleKeys& before, const RoleKeys& after) {
  return std::any_of(before.key_ids.begin(), before.key_ids.end(), [&](const std::string& id) {
    return std::find(after.key_ids.begin(), after.key_ids.end(), id) == after.key_ids.end();
  });
}

// Whether the targets role of `root` still signs `document`.
bool SignsTargets(const Root& root, ByteView document) {
  const auto envelope = ParseEnvelope(document);
  return envelope.ok() && VerifyEnvelope(*envelope, root.keys, root.targets, "targets").ok();
}

}  // namespace

Result<TrustedSet> TrustedSet::FromPinnedRoot(ByteView document, const Hash& pinned_sha256) {
  if (crypto::Sha256(document) != pinned_sha256) {
    return Status::Of(Code::kCorruptContent, "root: SHA-256 {:.12} is pinned, got {:.12}",
                      ToHex(pinned_sha256), crypto::Sha256Hex(document));
  }
  TrustedSet out;
  FERRY_ASSIGN_OR_RETURN(out.root_, ParseSelfSignedRoot(document));
  out.root_document_ = ToBytes(document);
  return out;
}

Status TrustedSet::UpdateRoot(ByteView document) {
  if (std::equal(document.begin(), document.end(), root_document_.begin(), root_document_.end())) {
    return OkStatus();
  }
  FERRY_ASSIGN_OR_RETURN(const Envelope envelope, ParseEnvelope(document).Context("root"));
  FERRY_ASSIGN_OR_RETURN(Root next, RootFromJson(envelope.signed_part).Context("root"));
  const std::string what = Named("root", next.version);
  FERRY_TRY(VerifyEnvelope(envelope, root_.keys, root_.root,
                           fmt::format("{} under the keys of version {}", what, root_.version)));
  FERRY_TRY(VerifyEnvelope(envelope, next.keys, next.root, what + " under its own keys"));
  if (next.version != root_.version + 1) {
    return Status::Of(next.version <= root_.version ? Code::kVersionRollback : Code::kMalformed,
                      "{} offered after version {}", what, root_.version);
  }
  ForgetWhatLostItsKey(next);
  root_ = std::move(next);
  root_document_ = ToBytes(document);
  return OkStatus();
}

void TrustedSet::ForgetWhatLostItsKey(const Root& next) {
  const auto forget_snapshot = [this] {
    snapshot_.reset();
    snapshot_document_.clear();
  };
  if (LostKey(root_.timestamp, next.timestamp) || LostKey(root_.snapshot, next.snapshot)) {
    timestamp_.reset();
    timestamp_document_.clear();
    forget_snapshot();
  }
  const bool signed_still = targets_ && SignsTargets(next, targets_document_);
  if (LostKey(root_.targets, next.targets) && !signed_still) forget_snapshot();
  if (!signed_still) {
    targets_.reset();
    targets_document_.clear();
  }
  KeepBins(next);
  if (LostKey(root_.director, next.director)) {
    assignment_counter_ = 0;
    director_root_ = next.version;
  }
}

Status TrustedSet::UpdateTimestamp(ByteView document, int64_t now_ms) {
  FERRY_TRY(CheckExpiry("root", root_.version, root_.expires_ms, now_ms));
  if (document.size() > kMaxTimestampBytes) {
    return Status::Of(Code::kLimitExceeded, "timestamp of {} bytes, at most {}", document.size(),
                      kMaxTimestampBytes);
  }
  FERRY_ASSIGN_OR_RETURN(const Envelope envelope, ParseEnvelope(document).Context("timestamp"));
  FERRY_TRY(VerifyEnvelope(envelope, root_.keys, root_.timestamp, "timestamp"));
  FERRY_ASSIGN_OR_RETURN(Timestamp next,
                         TimestampFromJson(envelope.signed_part).Context("timestamp"));
  if (timestamp_) {
    FERRY_TRY(CheckNotOlder("timestamp", next.version, timestamp_->version));
    FERRY_TRY(CheckNotOlder(fmt::format("timestamp version {}: snapshot", next.version),
                            next.snapshot.version, timestamp_->snapshot.version));
  }
  FERRY_TRY(CheckExpiry("timestamp", next.version, next.expires_ms, now_ms));
  timestamp_ = std::move(next);
  timestamp_document_ = ToBytes(document);
  return OkStatus();
}

Status TrustedSet::UpdateSnapshot(ByteView document, int64_t now_ms) {
  if (!timestamp_) return Status(Code::kFailedPrecondition, "snapshot before timestamp");
  FERRY_TRY(CheckExpiry("timestamp", timestamp_->version, timestamp_->expires_ms, now_ms));
  FERRY_TRY(CheckBytes("snapshot", document, timestamp_->snapshot));
  FERRY_ASSIGN_OR_RETURN(const Envelope envelope, ParseEnvelope(document).Context("snapshot"));
  FERRY_TRY(VerifyEnvelope(envelope, root_.keys, root_.snapshot, "snapshot"));
  FERRY_ASSIGN_OR_RETURN(Snapshot next, SnapshotFromJson(envelope.signed_part).Context("snapshot"));
  FERRY_TRY(CheckVersionNamed("snapshot", next.version, timestamp_->snapshot.version));
  if (snapshot_) {
    for (const auto& [name, meta] : snapshot_->files) {
      const auto found = next.files.find(name);
      const std::string what = fmt::format("snapshot version {}: {}", next.version, name);
      if (found == next.files.end()) {
        return Status::Of(Code::kVersionRollback, "{} is gone, version {} was there", what,
                          meta.version);
      }
      FERRY_TRY(CheckNotOlder(what, found->second.version, meta.version));
    }
  }
  FERRY_TRY(CheckExpiry("snapshot", next.version, next.expires_ms, now_ms));
  snapshot_ = std::move(next);
  snapshot_document_ = ToBytes(document);
  return OkStatus();
}

Status TrustedSet::UpdateTargets(ByteView document, int64_t now_ms) {
  if (!snapshot_ || NeedsSnapshot()) {
    return Status(Code::kFailedPrecondition, "targets before the snapshot that timestamp names");
  }
  FERRY_TRY(CheckExpiry("snapshot", snapshot_->version, snapshot_->expires_ms, now_ms));
  const MetaFile& named = snapshot_->files.find("targets.json")->second;
  FERRY_TRY(CheckBytes("targets", document, named));
  FERRY_ASSIGN_OR_RETURN(const Envelope envelope, ParseEnvelope(document).Context("targets"));
  FERRY_TRY(VerifyEnvelope(envelope, root_.keys, root_.targets, "targets"));
  FERRY_ASSIGN_OR_RETURN(Targets next, TargetsFromJson(envelope.signed_part).Context("targets"));
  FERRY_TRY(CheckVersionNamed("targets", next.version, named.version));
  // The snapshot's own check of versions is lost when its keys rotate; offline-signed versions
  // never go down all the same.
  if (targets_) FERRY_TRY(CheckNotOlder("targets", next.version, targets_->version));
  FERRY_TRY(CheckExpiry("targets", next.version, next.expires_ms, now_ms));
  targets_ = std::move(next);
  targets_document_ = ToBytes(document);
  KeepBins(root_);
  KeepPersonal();
  return OkStatus();
}

template <typename Document>
Result<Document> TrustedSet::CheckDirected(ByteView document, std::string_view device,
                                           int64_t now_ms, Result<Document> (*read)(const Json&)) {
  FERRY_ASSIGN_OR_RETURN(const Envelope envelope, ParseEnvelope(document).Context("assignment"));
  FERRY_TRY(VerifyEnvelope(envelope, root_.keys, root_.director, "assignment"));
  FERRY_ASSIGN_OR_RETURN(Document out, read(envelope.signed_part).Context("assignment"));
  if (out.device != device) {
    return Status::Of(Code::kWrongDevice, "assignment {} is for device {:.64}, this is {}",
                      out.counter, out.device, device);
  }
  if (out.counter < assignment_counter_) {
    return Status::Of(Code::kVersionRollback, "assignment {} offered after assignment {}",
                      out.counter, assignment_counter_);
  }
  FERRY_TRY(CheckExpiry("assignment", out.counter, out.expires_ms, now_ms));
  assignment_counter_ = out.counter;
  return out;
}

Result<Assignment> TrustedSet::CheckAssignment(ByteView document, std::string_view device,
                                               int64_t now_ms) {
  return CheckDirected<Assignment>(document, device, now_ms, AssignmentFromJson);
}

Result<Desired> TrustedSet::CheckDesired(ByteView document, std::string_view device,
                                         int64_t now_ms) {
  return CheckDirected<Desired>(document, device, now_ms, DesiredFromJson);
}

Status TrustedSet::CheckFresh(int64_t now_ms) const {
  if (!timestamp_ || !snapshot_ || !targets_) {
    return Status(Code::kFailedPrecondition, "no complete metadata yet");
  }
  FERRY_TRY(CheckExpiry("root", root_.version, root_.expires_ms, now_ms));
  FERRY_TRY(CheckExpiry("timestamp", timestamp_->version, timestamp_->expires_ms, now_ms));
  FERRY_TRY(CheckExpiry("snapshot", snapshot_->version, snapshot_->expires_ms, now_ms));
  FERRY_TRY(CheckExpiry("targets", targets_->version, targets_->expires_ms, now_ms));
  for (const auto& [name, held] : bins_)
    FERRY_TRY(CheckExpiry(name, held.bin.version, held.bin.expires_ms, now_ms));
  return OkStatus();
}

bool TrustedSet::NeedsSnapshot() const {
  return timestamp_ &&
         (!snapshot_ || MetaOf(snapshot_document_, snapshot_->version) != timestamp_->snapshot);
}

bool TrustedSet::NeedsTargets() const {
  return snapshot_ && (!targets_ || MetaOf(targets_document_, targets_->version) !=
                                        snapshot_->files.find("targets.json")->second);
}

}  // namespace ferry::trust
