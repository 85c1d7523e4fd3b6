#include <algorithm>

#include "cloud-server/registry/online.h"
#include "cloud-server/registry/registry.h"
#include "common/crypto/hash.h"
#include "common/trust/trusted_set.h"

namespace ferry::server {
namespace {

Status CheckRole(const trust::RoleKeys& role, const trust::PublicKey& key, std::string_view name) {
  const std::string id = trust::KeyIdOf(key);
  if (std::find(role.key_ids.begin(), role.key_ids.end(), id) != role.key_ids.end())
    return OkStatus();
  return Status::Of(Code::kWrongKey, "root: its {} role does not name this server's key {}", name,
                    id);
}

Status CheckOnlineKeys(const trust::Root& root, const OnlineSecrets& secrets) {
  FERRY_TRY(CheckRole(root.snapshot, secrets.snapshot.public_key(), "snapshot"));
  FERRY_TRY(CheckRole(root.timestamp, secrets.timestamp.public_key(), "timestamp"));
  FERRY_TRY(CheckRole(root.director, secrets.director.public_key(), "director"));
  if (root.escrow == secrets.escrow.public_key()) return OkStatus();
  return Status(Code::kWrongKey, "root: its escrow key is not this server's");
}

}  // namespace

trust::OnlineKeys PublicKeysOf(const OnlineSecrets& secrets) {
  trust::OnlineKeys keys;
  keys.snapshot = secrets.snapshot.public_key();
  keys.timestamp = secrets.timestamp.public_key();
  keys.director = secrets.director.public_key();
  keys.escrow = secrets.escrow.public_key();
  return keys;
}

Result<int64_t> Registry::PutRoot(ByteView document) {
  std::lock_guard lock(publish_mutex_);
  FERRY_ASSIGN_OR_RETURN(trust::Root root, trust::ParseSelfSignedRoot(document));
  FERRY_TRY(CheckOnlineKeys(root, *options_.secrets));
  const int64_t now_ms = options_.clock->NowUnixMs();
  if (root.expires_ms <= now_ms)
    return Status::Of(Code::kExpired, "root version {} is past its expiry", root.version);
  FERRY_TRY(options_.store->Write([&](Transaction& tx) -> Status {
    Result<MetadataRow> present = tx.packages().Metadata("root", 0);
    if (present.ok() && present->document != ToBytes(document)) {
      FERRY_ASSIGN_OR_RETURN(
          trust::TrustedSet set,
          trust::TrustedSet::FromPinnedRoot(present->document, crypto::Sha256(present->document)));
      FERRY_TRY(set.UpdateRoot(document));
    } else if (!present.ok() && present.code() != Code::kNotFound) {
      return present.status();
    }
    return tx.packages().PutMetadata({"root", root.version, ToBytes(document), root.expires_ms});
  }));
  return root.version;
}

Result<MetadataRow> Registry::Metadata(const std::string& role, int64_t version) {
  auto load = [&](MetadataRow* row) {
    return options_.store->Read([&](Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(*row, tx.packages().Metadata(role, version));
      return OkStatus();
    });
  };
  MetadataRow row;
  FERRY_TRY(load(&row));
  const bool online = role == "snapshot" || role == "timestamp";
  if (!online || version != 0) return row;
  const int64_t life_ms =
      role == "snapshot" ? options_.snapshot_life_ms : options_.timestamp_life_ms;
  if (!IsDue(row, options_.clock->NowUnixMs(), life_ms)) return row;
  FERRY_TRY(Refresh());
  FERRY_TRY(load(&row));
  return row;
}

Status Registry::Refresh() {
  std::lock_guard lock(publish_mutex_);
  const OnlineOptions online = OnlineOptionsOf(options_);
  bool due = false;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    Result<MetadataRow> snapshot = tx.packages().Metadata("snapshot", 0);
    Result<MetadataRow> timestamp = tx.packages().Metadata("timestamp", 0);
    due = snapshot.ok() && timestamp.ok() &&
          (IsDue(*snapshot, online.now_ms, online.snapshot_life_ms) ||
           IsDue(*timestamp, online.now_ms, online.timestamp_life_ms));
    return OkStatus();
  }));
  if (!due) return OkStatus();
  return options_.store->Write(
      [&](Transaction& tx) -> Status { return SignChain(tx, online, false); });
}

}  // namespace ferry::server
