#include "common/trust/tuf/verifier.h"

#include "common/trust/time.h"

namespace ferry::tuf {
namespace {

std::string Named(std::string_view role, int64_t version) {
  return fmt::format("{} version {}", role, version);
}

Status CheckExpiry(std::string_view role, const Header& header, int64_t now_ms) {
  if (now_ms < header.expires_ms) return OkStatus();
  return Status::Of(Code::kExpired, "{} version {} expired at {}", role, header.version,
                    trust::FormatTime(header.expires_ms));
}

Status CheckNotOlder(std::string_view what, int64_t version, int64_t trusted) {
  if (version >= trusted) return OkStatus();
  return Status::Of(Code::kVersionRollback, "{} version {} offered after version {}", what, version,
                    trusted);
}

// `document` against what the role above says of it: mix-and-match.
Status CheckBytes(std::string_view what, ByteView document, const MetaFile& wanted) {
  if (wanted.length && document.size() != *wanted.length) {
    return Status::Of(Code::kCorruptContent, "{}: {} bytes, {} were signed", what, document.size(),
                      *wanted.length);
  }
  return wanted.hashes ? CheckHashes(document, *wanted.hashes, what) : OkStatus();
}

Status CheckVersion(std::string_view role, int64_t version, int64_t named) {
  if (version == named) return OkStatus();
  return Status::Of(Code::kMalformed, "{} version {} where version {} was signed", role, version,
                    named);
}

}  // namespace

Result<Verifier> Verifier::FromRoot(ByteView document) {
  FERRY_ASSIGN_OR_RETURN(const Signed parsed, ParseSigned(document).Context("root"));
  Verifier out;
  FERRY_ASSIGN_OR_RETURN(out.root_, RootFromJson(parsed.part).Context("root"));
  FERRY_TRY(
      Verify(parsed, out.root_.keys, out.root_.root, Named("root", out.root_.header.version)));
  return out;
}

Status Verifier::UpdateRoot(ByteView document, bool* lost) {
  FERRY_ASSIGN_OR_RETURN(const Signed parsed, ParseSigned(document).Context("root"));
  FERRY_ASSIGN_OR_RETURN(Root next, RootFromJson(parsed.part).Context("root"));
  const std::string what = Named("root", next.header.version);
  FERRY_TRY(Verify(parsed, root_.keys, root_.root, what + " under the keys before it"));
  FERRY_TRY(Verify(parsed, next.keys, next.root, what + " under its own keys"));
  FERRY_TRY(CheckNotOlder("root", next.header.version, root_.header.version + 1));
  FERRY_TRY(CheckVersion("root", next.header.version, root_.header.version + 1));
  const bool forget =
      LostKey(root_.timestamp, next.timestamp) || LostKey(root_.snapshot, next.snapshot);
  if (forget) {
    timestamp_.reset();
    snapshot_.reset();
    snapshot_document_.clear();
  }
  if (lost != nullptr) *lost = forget;
  root_ = std::move(next);
  return OkStatus();
}

Status Verifier::CheckRootFresh(int64_t now_ms) const {
  return CheckExpiry("root", root_.header, now_ms);
}

Result<Timestamp> Verifier::ReadTimestamp(ByteView document) const {
  FERRY_ASSIGN_OR_RETURN(const Signed parsed, ParseSigned(document).Context("timestamp"));
  FERRY_TRY(Verify(parsed, root_.keys, root_.timestamp, "timestamp"));
  return TimestampFromJson(parsed.part).Context("timestamp");
}

Status Verifier::LoadTimestamp(ByteView document) {
  FERRY_ASSIGN_OR_RETURN(timestamp_, ReadTimestamp(document));
  return OkStatus();
}

Result<bool> Verifier::UpdateTimestamp(ByteView document, int64_t now_ms) {
  FERRY_TRY(CheckRootFresh(now_ms));
  FERRY_ASSIGN_OR_RETURN(Timestamp next, ReadTimestamp(document));
  if (timestamp_) {
    FERRY_TRY(CheckNotOlder("timestamp", next.header.version, timestamp_->header.version));
    if (next.header.version == timestamp_->header.version) {
      FERRY_TRY(CheckExpiry("timestamp", timestamp_->header, now_ms));
      return false;
    }
    FERRY_TRY(CheckNotOlder(Named("timestamp", next.header.version) + ": snapshot",
                            next.snapshot.version, timestamp_->snapshot.version));
  }
  FERRY_TRY(CheckExpiry("timestamp", next.header, now_ms));
  timestamp_ = std::move(next);
  return true;
}

Result<Snapshot> Verifier::ReadSnapshot(ByteView document) const {
  FERRY_ASSIGN_OR_RETURN(const Signed parsed, ParseSigned(document).Context("snapshot"));
  FERRY_TRY(Verify(parsed, root_.keys, root_.snapshot, "snapshot"));
  return SnapshotFromJson(parsed.part).Context("snapshot");
}

Status Verifier::LoadSnapshot(ByteView document) {
  FERRY_ASSIGN_OR_RETURN(snapshot_, ReadSnapshot(document));
  snapshot_document_ = ToBytes(document);
  return OkStatus();
}

bool Verifier::HasSnapshot(int64_t now_ms) const {
  return timestamp_ && snapshot_ && snapshot_->header.version == timestamp_->snapshot.version &&
         now_ms < snapshot_->header.expires_ms &&
         CheckBytes("snapshot", snapshot_document_, timestamp_->snapshot).ok();
}

Status Verifier::UpdateSnapshot(ByteView document, int64_t now_ms) {
  if (!timestamp_) return Status(Code::kFailedPrecondition, "snapshot before timestamp");
  FERRY_TRY(CheckBytes("snapshot", document, timestamp_->snapshot));
  FERRY_ASSIGN_OR_RETURN(Snapshot next, ReadSnapshot(document));
  FERRY_TRY(CheckVersion("snapshot", next.header.version, timestamp_->snapshot.version));
  if (snapshot_) {
    for (const auto& [name, meta] : snapshot_->files) {
      const auto found = next.files.find(name);
      const std::string what = Named("snapshot", next.header.version) + ": " + name;
      if (found == next.files.end()) {
        return Status::Of(Code::kVersionRollback, "{} is gone, version {} was there", what,
                          meta.version);
      }
      FERRY_TRY(CheckNotOlder(what, found->second.version, meta.version));
    }
  }
  FERRY_TRY(CheckExpiry("snapshot", next.header, now_ms));
  snapshot_ = std::move(next);
  snapshot_document_ = ToBytes(document);
  return OkStatus();
}

Result<MetaFile> Verifier::MetaOf(std::string_view role) const {
  if (!snapshot_) return Status(Code::kFailedPrecondition, "targets before snapshot");
  const auto found = snapshot_->files.find(fmt::format("{}.json", role));
  if (found != snapshot_->files.end()) return found->second;
  return Status::Of(Code::kNotFound, "the snapshot names no role \"{}\"", role);
}

Result<Targets> Verifier::CheckTargets(std::string_view role, const Keys& keys, const Role& signers,
                                       ByteView document, int64_t now_ms) const {
  FERRY_ASSIGN_OR_RETURN(const MetaFile meta, MetaOf(role));
  if (!HasSnapshot(now_ms)) {
    return Status(Code::kFailedPrecondition, "targets before the snapshot that timestamp names");
  }
  const std::string what = fmt::format("role \"{}\"", role);
  FERRY_TRY(CheckBytes(what, document, meta));
  FERRY_ASSIGN_OR_RETURN(const Signed parsed, ParseSigned(document).Context("{}", what));
  FERRY_TRY(Verify(parsed, keys, signers, what));
  FERRY_ASSIGN_OR_RETURN(Targets out, TargetsFromJson(parsed.part).Context("{}", what));
  FERRY_TRY(CheckVersion(role, out.header.version, meta.version));
  FERRY_TRY(CheckExpiry(role, out.header, now_ms));
  return out;
}

}  // namespace ferry::tuf
