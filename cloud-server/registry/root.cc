#include "cloud-server/registry/entries.h"
#include "cloud-server/registry/online.h"
#include "cloud-server/registry/registry.h"
#include "common/base/log.h"
#include "common/crypto/hash.h"
#include "common/trust/envelope.h"
#include "common/trust/trusted_set.h"

namespace ferry::server {
namespace {

// Wraps the content key of each artefact to the escrow key of `next`. One that no key opens is lost
// already: it is named, and keeps nobody from replacing a stolen key.
Status WrapAnew(Transaction& tx, const OnlineSecrets& next, sys::Random& random) {
  FERRY_ASSIGN_OR_RETURN(const std::vector<PackageRow> packages, tx.packages().All());
  for (const PackageRow& package : packages) {
    FERRY_ASSIGN_OR_RETURN(const std::vector<ArtefactRow> artefacts,
                           tx.packages().Artefacts(package.name, package.version));
    for (ArtefactRow artefact : artefacts) {
      FERRY_ASSIGN_OR_RETURN(const trust::TargetEntry entry, EntryOf(artefact));
      const Result<crypto::Secret32> key =
          OpenEscrow(next, entry, {artefact.escrow_enc, artefact.escrow_sealed});
      if (!key.ok()) {
        LogError("registry", "{}: its content key: {}", artefact.path, key.status().ToString());
        continue;
      }
      const trust::PublicKey& to = next.escrow.public_key();
      FERRY_ASSIGN_OR_RETURN(package::WrappedKey wrapped,
                             package::WrapForEscrow(to, entry, *key, random));
      artefact.escrow_enc = std::move(wrapped.enc);
      artefact.escrow_sealed = std::move(wrapped.sealed);
      FERRY_TRY(tx.packages().PutArtefact(artefact));
    }
  }
  return OkStatus();
}

// Each root must follow the one before it, from the stored one on.
Status StoreRoots(Transaction& tx, ByteView document, const std::vector<Bytes>& before) {
  Result<MetadataRow> present = tx.packages().Metadata("root", 0);
  if (!present.ok() && present.code() != Code::kNotFound) return present.status();
  std::optional<trust::TrustedSet> set;
  const auto follow = [&](ByteView next) -> Status {
    if (set) return set->UpdateRoot(next);
    FERRY_ASSIGN_OR_RETURN(set, trust::TrustedSet::FromPinnedRoot(next, crypto::Sha256(next)));
    return OkStatus();
  };
  if (present.ok()) FERRY_TRY(follow(present->document));
  std::vector<Bytes> roots = before;
  roots.push_back(ToBytes(document));
  for (Bytes& next : roots) {
    FERRY_TRY(follow(next));
    FERRY_TRY(tx.packages().PutMetadata(
        {"root", set->root().version, std::move(next), set->root().expires_ms}));
  }
  return OkStatus();
}

}  // namespace

Registry::Registry(const Options& options) : options_(options) {
  if (options.secrets != nullptr) {
    secrets_ = std::make_shared<const OnlineSecrets>(*options.secrets);
  }
}

std::shared_ptr<const OnlineSecrets> Registry::secrets() const {
  std::shared_lock lock(secrets_mutex_);
  return secrets_;
}

Status Registry::UseStoredRoot() {
  const Result<trust::Root> root = NewestRoot(*options_.store);
  if (root.code() == Code::kFailedPrecondition) return OkStatus();
  FERRY_TRY(root);
  FERRY_ASSIGN_OR_RETURN(const WaitingKeys waiting, Waiting());
  Result<OnlineSecrets> chosen = ChooseSecrets(*root, *secrets(), waiting);
  keys_fit_ = chosen.code() != Code::kWrongKey;
  FERRY_TRY(chosen);
  {
    std::unique_lock lock(secrets_mutex_);
    secrets_ = std::make_shared<const OnlineSecrets>(*std::move(chosen));
  }
  root_in_use_ = root->version;
  if (options_.keys != nullptr) FERRY_TRY(options_.keys->Settle(*secrets()));
  // Other keys than this server's are a publisher's to put right: devices do without such files.
  Status used = UsePersonalKey();
  if (used.code() == Code::kWrongKey) LogWarn("registry", "{}", used.message());
  return used.code() == Code::kWrongKey ? OkStatus() : used;
}

Status Registry::FollowRoot() {
  const auto is_followed = [this]() -> Result<bool> {
    FERRY_ASSIGN_OR_RETURN(const int64_t version, RootVersion());
    return version == root_in_use_ && keys_fit_;
  };
  FERRY_ASSIGN_OR_RETURN(const bool before, is_followed());
  if (before) return OkStatus();
  std::lock_guard lock(publish_mutex_);  // a root that is being uploaded here
  FERRY_ASSIGN_OR_RETURN(const bool now, is_followed());
  if (now) return OkStatus();
  personal_wrapped_ = false;
  return UseStoredRoot();
}

Status Registry::UseKeys(Transaction& tx, const OnlineSecrets& before, const OnlineSecrets& next) {
  const trust::OnlineKeys old_keys = PublicKeysOf(before), new_keys = PublicKeysOf(next);
  if (old_keys.escrow != new_keys.escrow) FERRY_TRY(WrapAnew(tx, next, *options_.random));
  if (old_keys.snapshot == new_keys.snapshot && old_keys.timestamp == new_keys.timestamp)
    return OkStatus();
  OnlineOptions online = OnlineOptionsOf(options_, next);
  return SignChain(tx, online, true);
}

Result<WaitingKeys> Registry::Waiting() const {
  return options_.keys == nullptr ? WaitingKeys() : options_.keys->Waiting();
}

Result<Registry::NextKeys> Registry::KeysOfNextRoot() {
  FERRY_ASSIGN_OR_RETURN(const WaitingKeys waiting, Waiting());
  NextKeys out;
  out.keys = NextKeysOf(*secrets(), waiting);
  if (waiting.director) out.waiting.push_back("director");
  if (waiting.escrow) out.waiting.push_back("escrow");
  if (waiting.line) {
    const Result<trust::Root> root = NewestRoot(*options_.store);
    if (!root.ok() || root->line != *waiting.line) out.waiting.push_back("line");
  }
  if (waiting.personal) out.waiting.push_back("personal");
  if (waiting.snapshot) out.waiting.push_back("snapshot");
  if (waiting.timestamp) out.waiting.push_back("timestamp");
  return out;
}

Result<int64_t> Registry::PutRoot(ByteView document, const std::vector<Bytes>& before) {
  std::lock_guard lock(publish_mutex_);
  FERRY_TRY(trust::CheckSent(document, "root"));
  for (const Bytes& each : before) FERRY_TRY(trust::CheckSent(each, "root"));
  FERRY_ASSIGN_OR_RETURN(trust::Root root, trust::ParseSelfSignedRoot(document));
  const std::shared_ptr<const OnlineSecrets> old_keys = secrets();
  FERRY_ASSIGN_OR_RETURN(const WaitingKeys waiting, Waiting());
  FERRY_ASSIGN_OR_RETURN(OnlineSecrets next, ChooseSecrets(root, *old_keys, waiting));
  if (root.expires_ms <= options_.clock->NowUnixMs())
    return Status::Of(Code::kExpired, "root version {} is past its expiry", root.version);
  {
    std::unique_lock secrets_lock(secrets_mutex_);
    FERRY_TRY(options_.store->Write([&](Transaction& tx) -> Status {
      FERRY_TRY(StoreRoots(tx, document, before));
      return UseKeys(tx, *old_keys, next);
    }));
    secrets_ = std::make_shared<const OnlineSecrets>(std::move(next));
  }
  root_in_use_ = root.version;
  keys_fit_ = true;
  personal_wrapped_ = false;
  if (options_.keys != nullptr) {
    // The root stands: what the files lack is made up for at the next start.
    if (Status settled = options_.keys->Settle(*secrets()); !settled.ok())
      LogError("registry", "the files of root {}'s keys: {}", root.version, settled.ToString());
  }
  return root.version;
}

Result<int64_t> Registry::RootVersion() {
  MetadataRow row;
  const Status status = options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(row, tx.packages().Metadata("root", 0));
    return OkStatus();
  });
  if (status.code() == Code::kNotFound) return int64_t{0};
  FERRY_TRY(status);
  return row.version;
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
  FERRY_TRY(RewrapPersonal());
  std::lock_guard lock(publish_mutex_);
  const std::shared_ptr<const OnlineSecrets> present = secrets();
  const OnlineOptions online = OnlineOptionsOf(options_, *present);
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

Status Registry::Renew() {
  std::lock_guard lock(publish_mutex_);
  const std::shared_ptr<const OnlineSecrets> present = secrets();
  const OnlineOptions online = OnlineOptionsOf(options_, *present);
  return options_.store->Write(
      [&](Transaction& tx) -> Status { return SignChain(tx, online, true); });
}

}  // namespace ferry::server
