#include "common/trust/builder.h"

#include "common/trust/envelope.h"

#include <set>

namespace ferry::trust {
namespace {

Status CheckSigners(const RoleKeys& role, std::span<const SigningKey> signers,
                    std::string_view what) {
  std::set<std::string> ids;
  for (const SigningKey& signer : signers) {
    std::string id = KeyIdOf(signer.public_key());
    for (const std::string& known : role.key_ids) {
      if (known == id) ids.insert(id);
    }
  }
  if (ids.size() >= static_cast<size_t>(role.threshold)) return OkStatus();
  return Status::Of(Code::kFailedPrecondition, "{}: {} of {} needed keys are here", what,
                    ids.size(), role.threshold);
}

}  // namespace

Result<Bytes> SignRoot(const Root& root, std::span<const SigningKey> signers) {
  return SignDocument(RootToJson(root), signers);
}

Result<Bytes> SignTargets(const Targets& targets, std::span<const SigningKey> signers) {
  return SignDocument(TargetsToJson(targets), signers);
}

Result<Bytes> SignNextRoot(const Root& current, Root next, std::span<const SigningKey> signers) {
  FERRY_TRY(CheckSigners(current.root, signers, "the present root role"));
  FERRY_TRY(CheckSigners(next.root, signers, "the next root role"));
  next.version = current.version + 1;
  return SignRoot(next, signers);
}

Result<Bytes> SignSnapshot(ByteView targets_document, int64_t targets_version, int64_t version,
                           int64_t expires_ms, const SigningKey& signer) {
  return SignSnapshot({{"targets.json", MetaOf(targets_document, targets_version)}}, version,
                      expires_ms, signer);
}

Result<Bytes> SignSnapshot(std::map<std::string, MetaFile, std::less<>> files, int64_t version,
                           int64_t expires_ms, const SigningKey& signer) {
  Snapshot snapshot;
  snapshot.version = version;
  snapshot.expires_ms = expires_ms;
  snapshot.files = std::move(files);
  return SignDocument(SnapshotToJson(snapshot), {&signer, 1});
}

Result<Bytes> SignTimestamp(ByteView snapshot_document, int64_t snapshot_version, int64_t version,
                            int64_t expires_ms, const SigningKey& signer) {
  Timestamp timestamp;
  timestamp.version = version;
  timestamp.expires_ms = expires_ms;
  timestamp.snapshot = MetaOf(snapshot_document, snapshot_version);
  return SignDocument(TimestampToJson(timestamp), {&signer, 1});
}

Result<Targets> OpenTargets(const Root& root, ByteView document) {
  FERRY_ASSIGN_OR_RETURN(const Envelope envelope, ParseEnvelope(document).Context("targets"));
  FERRY_TRY(VerifyEnvelope(envelope, root.keys, root.targets, "targets"));
  return TargetsFromJson(envelope.signed_part).Context("targets");
}

}  // namespace ferry::trust
