#include <algorithm>
#include <map>
#include <set>

#include "cloud-server/registry/entries.h"
#include "cloud-server/registry/online.h"
#include "cloud-server/registry/registry.h"
#include "common/base/log.h"
#include "common/trust/builder.h"
#include "common/trust/envelope.h"
#include "common/trust/time.h"

namespace ferry::server {
namespace {

using KeysByPath = std::map<std::string, const package::WrappedKey*>;

// The newest targets that are stored, checked again; null when there are none.
Result<std::unique_ptr<trust::Targets>> Stored(Store& store) {
  trust::TargetsDocuments documents;
  Status status = store.Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(documents, StoredTargets(tx));
    return OkStatus();
  });
  if (status.code() == Code::kNotFound && documents.top.empty())
    return std::unique_ptr<trust::Targets>();
  FERRY_TRY(status);
  // Signed by keys that a later root may have dropped: its form only.
  FERRY_ASSIGN_OR_RETURN(trust::Targets targets, trust::ReadTargets(documents));
  return std::make_unique<trust::Targets>(std::move(targets));
}

// What is published with the bins that are stored already. kInvalidArgument: one is nowhere.
Result<trust::TargetsDocuments> WithStoredBins(Store& store, const trust::Root& root,
                                               const Publication& publication) {
  FERRY_TRY(trust::CheckSent(publication.targets, "targets"));
  FERRY_ASSIGN_OR_RETURN(const trust::Targets top, trust::OpenTargets(root, publication.targets));
  trust::TargetsDocuments out = {publication.targets, {}};
  const auto bins = trust::BinsOf(top);
  for (const auto& [name, document] : publication.bins) {
    FERRY_TRY(trust::CheckSent(document, name));
    if (!bins.contains(name))
      return Status::Of(Code::kInvalidArgument, "targets version {} have no {:.40}", top.version,
                        name);
  }
  FERRY_TRY(store.Read([&](Transaction& tx) -> Status {
    out.bins = publication.bins;
    for (const auto& [name, version] : bins) {
      if (out.bins.contains(name)) continue;
      Result<MetadataRow> row = tx.packages().Metadata(name, version);
      if (row.code() == Code::kNotFound)
        return Status::Of(Code::kInvalidArgument, "{} version {} is not here and did not come",
                          name, version);
      FERRY_TRY(row);
      out.bins[name] = std::move(row->document);
    }
    return OkStatus();
  }));
  return out;
}

// Devices that fetch no bins get nothing more once targets lie in some.
Status CheckReaders(Transaction& tx, const trust::Targets* before, const trust::Targets& next,
                    bool force) {
  const bool begins = next.bins && (before == nullptr || !before->bins);
  if (!begins || force) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const int64_t devices, tx.devices().CountWithoutBins());
  if (devices == 0) return OkStatus();
  return Status::Of(Code::kFailedPrecondition,
                    "{} devices do not fetch targets in bins and would be offered nothing until "
                    "their runtime is newer (--force spreads them all the same)",
                    devices);
}

// Blob and content key of one new path. The key comes back wrapped to the present escrow key: a
// publisher whose root is older wrapped it to the one before.
Result<package::WrappedKey> CheckContent(BlobStore& blobs, const OnlineSecrets& secrets,
                                         const std::string& path, const trust::TargetEntry& entry,
                                         const KeysByPath& keys, sys::Random& random) {
  auto key = keys.find(path);
  if (key == keys.end())
    return Status::Of(Code::kInvalidArgument, "{}: its content key is missing", path);
  FERRY_ASSIGN_OR_RETURN(uint64_t length, blobs.Size(ToHex(entry.sha256)).Context("{}", path));
  if (length != entry.length)
    return Status::Of(Code::kCorruptContent, "{}: the content has {} bytes, {} were signed", path,
                      length, entry.length);
  auto opened = OpenEscrow(secrets, entry, *key->second).Context("{}: its content key", path);
  FERRY_TRY(opened);
  if (package::UnwrapEscrow(secrets.escrow, entry, *key->second).ok()) return *key->second;
  return package::WrapForEscrow(secrets.escrow.public_key(), entry, *opened, random);
}

struct NewRows {
  std::vector<PackageRow> packages;
  std::vector<ArtefactRow> artefacts;
};

// The paths of `next` that have a row already.
Result<std::set<std::string>> KnownPaths(Store& store, const trust::Targets& next) {
  std::set<std::string> known;
  FERRY_TRY(store.Read([&](Transaction& tx) -> Status {
    known.clear();
    for (const auto& [path, entry] : next.entries) {
      const Result<ArtefactRow> row = tx.packages().Artefact(path);
      if (row.ok()) known.insert(path);
      if (!row.ok() && row.code() != Code::kNotFound) return row.status();
    }
    return OkStatus();
  }));
  return known;
}

// Checks what `next` brings that is not stored, and makes rows of it.
Result<NewRows> RowsOf(const Registry::Options& options, const OnlineSecrets& secrets,
                       const Publication& publication, const trust::Targets* before,
                       const trust::Targets& next) {
  FERRY_ASSIGN_OR_RETURN(const std::set<std::string> known, KnownPaths(*options.store, next));
  const std::set<std::string> absent(publication.absent.begin(), publication.absent.end());
  KeysByPath keys;
  for (const Publication::Key& key : publication.keys) keys[key.path] = &key.wrapped;
  NewRows rows;
  for (const auto& [path, entry] : next.entries) {
    if (known.contains(path)) continue;
    const bool may_lack = absent.contains(path) || (before && before->entries.contains(path));
    if (may_lack && !keys.contains(path)) continue;
    FERRY_ASSIGN_OR_RETURN(package::WrappedKey wrapped, CheckContent(*options.blobs, secrets, path,
                                                                     entry, keys, *options.random));
    ArtefactRow& row = rows.artefacts.emplace_back(ArtefactOf(path, entry));
    row.escrow_enc = std::move(wrapped.enc);
    row.escrow_sealed = std::move(wrapped.sealed);
    if (entry.kind == trust::ArtefactKind::kFull)
      rows.packages.push_back(PackageOf(entry, options.clock->NowUnixMs()));
  }
  return rows;
}

// Whether a release in that state gives out its own version, or will.
bool GivesOut(ReleaseState state) {
  switch (state) {
    case ReleaseState::kRollingBack:
    case ReleaseState::kRolledBack:
    case ReleaseState::kStopped:
    case ReleaseState::kFailedSimulation:
    case ReleaseState::kSuperseded:
      return false;
    default:
      return true;
  }
}

// What `next` withdraws that `before` did not.
std::vector<trust::Withdrawal> NewlyWithdrawn(const trust::Targets* before,
                                              const trust::Targets& next) {
  std::vector<trust::Withdrawal> out;
  for (const auto& [path, item] : next.withdrawn)
    if (before == nullptr || !before->withdrawn.contains(path)) out.push_back(item);
  return out;
}

// Drops the rows of what is withdrawn; kFailedPrecondition names a release that needs it.
Status DropWithdrawn(Transaction& tx, const std::vector<trust::Withdrawal>& withdrawn, bool force) {
  if (withdrawn.empty()) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const std::vector<ReleaseRow> releases, tx.releases().All());
  for (const trust::Withdrawal& item : withdrawn) {
    for (const ReleaseRow& release : releases) {
      if (force || release.package != item.package) continue;
      const bool gives = GivesOut(release.state) && release.version == item.version;
      const bool back = (GivesOut(release.state) || release.state == ReleaseState::kRollingBack) &&
                        release.fallback_version == item.version;
      if (gives || back)
        return Status::Of(Code::kFailedPrecondition,
                          "release {} ({}) {} {} {}: end it first (--force withdraws all the same)",
                          release.id, NameOf(release.state), gives ? "gives out" : "goes back to",
                          item.package, item.version);
    }
    FERRY_TRY(tx.packages().Remove(item.package, item.version));
  }
  return OkStatus();
}

// When the first of the documents expires: what anyone asks of targets is how long they hold.
int64_t UntilMs(const trust::Targets& targets) {
  return targets.bins ? std::min(targets.expires_ms, targets.bins->expires_ms) : targets.expires_ms;
}

Status PutDocuments(Transaction& tx, const trust::Targets& targets,
                    const trust::TargetsDocuments& documents) {
  const int64_t until_ms = UntilMs(targets);
  const auto bins = trust::BinsOf(targets);
  for (const auto& [name, version] : bins) {
    const Bytes& document = documents.bins.find(name)->second;
    FERRY_TRY(tx.packages().PutMetadata({name, version, document, until_ms}));
  }
  return tx.packages().PutMetadata(
      {"targets", targets.version, documents.top, until_ms, static_cast<int64_t>(bins.size())});
}

}  // namespace

Result<std::vector<PackageRow>> Registry::Publish(const Publication& publication) {
  if (!publication.root.empty()) FERRY_TRY(PutRoot(publication.root));
  std::lock_guard lock(publish_mutex_);
  const int64_t now_ms = options_.clock->NowUnixMs();
  FERRY_ASSIGN_OR_RETURN(trust::Root root, NewestRoot(*options_.store));
  FERRY_ASSIGN_OR_RETURN(const trust::TargetsDocuments documents,
                         WithStoredBins(*options_.store, root, publication));
  FERRY_ASSIGN_OR_RETURN(trust::Targets next, trust::OpenTargets(root, documents));
  const int64_t until_ms = UntilMs(next);
  if (until_ms <= now_ms)
    return Status::Of(Code::kExpired, "targets version {} expired at {}", next.version,
                      trust::FormatTime(until_ms));
  FERRY_ASSIGN_OR_RETURN(std::unique_ptr<trust::Targets> before, Stored(*options_.store));
  if (before != nullptr && next.version < before->version)
    return Status::Of(Code::kVersionRollback, "targets version {} is below {}, the present one",
                      next.version, before->version);
  if (before != nullptr && next.version == before->version &&
      !(before->entries == next.entries && before->withdrawn == next.withdrawn &&
        before->personal == next.personal && before->bins == next.bins))
    return Status::Of(Code::kVersionRollback, "targets version {} is there with other content",
                      next.version);
  FERRY_TRY(CheckSuccession(before.get(), next));
  if (next.personal) {
    FERRY_ASSIGN_OR_RETURN(const WaitingKeys waiting, Waiting());
    FERRY_TRY(ChoosePersonal(*next.personal, *secrets(), waiting));
  }

  const std::shared_ptr<const OnlineSecrets> present = secrets();
  FERRY_ASSIGN_OR_RETURN(NewRows rows, RowsOf(options_, *present, publication, before.get(), next));
  const bool same = before != nullptr && next.version == before->version;
  if (same && rows.artefacts.empty()) return rows.packages;

  FERRY_TRY(options_.store->Write([&](Transaction& tx) -> Status {
    FERRY_TRY(DropWithdrawn(tx, NewlyWithdrawn(before.get(), next), publication.force));
    for (const PackageRow& row : rows.packages) FERRY_TRY(tx.packages().Put(row));
    for (const ArtefactRow& row : rows.artefacts) FERRY_TRY(tx.packages().PutArtefact(row));
    if (same) return OkStatus();
    FERRY_TRY(CheckReaders(tx, before.get(), next, publication.force));
    FERRY_TRY(PutDocuments(tx, next, documents));
    return SignChain(tx, OnlineOptionsOf(options_, *present), true);
  }));
  if (Status used = UsePersonalKey(); !used.ok())
    LogError("registry", "the key of personal files: {}", used.ToString());
  return rows.packages;
}

Result<trust::Targets> Registry::Signed() {
  FERRY_ASSIGN_OR_RETURN(const std::unique_ptr<trust::Targets> targets, Stored(*options_.store));
  trust::Targets none;
  none.version = 0;
  return targets == nullptr ? none : std::move(*targets);
}

Result<std::vector<trust::Withdrawal>> Registry::Withdrawn() {
  FERRY_ASSIGN_OR_RETURN(const std::unique_ptr<trust::Targets> targets, Stored(*options_.store));
  return targets == nullptr ? std::vector<trust::Withdrawal>() : NewlyWithdrawn(nullptr, *targets);
}

}  // namespace ferry::server
