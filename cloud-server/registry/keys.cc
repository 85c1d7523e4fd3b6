#include <algorithm>

#include "cloud-server/core/apply.h"
#include "cloud-server/core/desired.h"
#include "cloud-server/registry/check.h"
#include "cloud-server/registry/entries.h"
#include "cloud-server/registry/online.h"
#include "cloud-server/registry/registry.h"
#include "common/crypto/seal.h"
#include "common/package/artefact.h"
#include "common/package/compress.h"

namespace ferry::server {
namespace {

constexpr size_t kReadPieceBytes = 256 << 10;

// Whether the device was told of the path by the release.
Result<bool> Names(const AssignmentRow& assignment, const std::string& release,
                   const std::string& path) {
  auto has = [&](const std::vector<std::string>& paths) {
    return std::find(paths.begin(), paths.end(), path) != paths.end();
  };
  if (assignment.release == release && (has(assignment.targets) || has(assignment.exclusive)))
    return true;
  FERRY_ASSIGN_OR_RETURN(const auto packages, PackagesOf(assignment));
  return std::any_of(packages.begin(), packages.end(), [&](const auto& entry) {
    return entry.second.release == release &&
           (has(entry.second.targets) || has(entry.second.files));
  });
}

// The path that stands in an assignment for `path`: who is to have a version may have the deltas to
// it that this server made.
Result<std::string> NamedPath(Transaction& tx, const std::string& path) {
  const Result<ArtefactRow> artefact = tx.packages().Artefact(path);
  if (artefact.code() == Code::kNotFound) return path;  // refused as any that is not assigned
  FERRY_TRY(artefact);
  return artefact->kind == kMadeKind ? trust::FullPath(artefact->package, artefact->version) : path;
}

Result<crypto::Secret32> ContentKeyOf(const OnlineSecrets& secrets, const ArtefactRow& artefact,
                                      const trust::TargetEntry& entry) {
  return OpenEscrow(secrets, entry, {artefact.escrow_enc, artefact.escrow_sealed})
      .Context("content key of {}", artefact.path);
}

}  // namespace

Status CheckContentKey(const OnlineSecrets& secrets, const ArtefactRow& artefact) {
  FERRY_ASSIGN_OR_RETURN(const trust::TargetEntry entry, EntryOf(artefact));
  return AsStatus(ContentKeyOf(secrets, artefact, entry));
}

Result<Registry::DeviceKey> Registry::WrapKey(const std::string& device, const std::string& path,
                                              const std::string& release) {
  DeviceRow row;
  ArtefactRow artefact;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(row, tx.devices().Get(device));
    FERRY_ASSIGN_OR_RETURN(AssignmentRow assignment, tx.devices().Assignment(device));
    if (row.blocked) return Status::Of(Code::kBlocked, "device {} is blocked", device);
    FERRY_ASSIGN_OR_RETURN(const std::string named, NamedPath(tx, path));
    FERRY_ASSIGN_OR_RETURN(const bool is_told, Names(assignment, release, named));
    if (!is_told)
      return Status::Of(Code::kPermissionDenied, "{} is not assigned to device {} by release {}",
                        path, device, release);
    const Result<ReleaseRow> about = tx.releases().Get(release);
    if (about.ok()) FERRY_TRY(CheckKeyFor(*about, row));
    if (!about.ok() && about.code() != Code::kNotFound) return about.status();
    FERRY_ASSIGN_OR_RETURN(artefact, tx.packages().Artefact(path));
    return OkStatus();
  }));
  FERRY_ASSIGN_OR_RETURN(trust::TargetEntry entry, EntryOf(artefact));
  FERRY_ASSIGN_OR_RETURN(crypto::Secret32 key, ContentKeyOf(*secrets(), artefact, entry));
  DeviceKey wrapped;
  wrapped.key_id = package::SealKeyId(row.seal_public);
  FERRY_ASSIGN_OR_RETURN(
      wrapped.wrapped, package::WrapForDevice(row.seal_public, {row.tenant, release, device}, entry,
                                              key, *options_.random));
  return wrapped;
}

Status Registry::OpenPackage(const std::string& package, const std::string& version,
                             sys::FileSystem& fs, const std::string& to) {
  ArtefactRow artefact;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(artefact, tx.packages().Artefact(trust::FullPath(package, version)));
    return OkStatus();
  }));
  FERRY_ASSIGN_OR_RETURN(trust::TargetEntry entry, EntryOf(artefact));
  FERRY_ASSIGN_OR_RETURN(crypto::Secret32 key, ContentKeyOf(*secrets(), artefact, entry));
  const std::string sealed = to + ".sealed";
  Status status = options_.blobs->CopyTo(artefact.sha256, sealed);
  if (status.ok()) status = package::OpenArtefact(fs, sealed, to, key, entry);
  Status ignored = fs.Remove(sealed);  // the scratch folder is emptied at start too
  return status.Context("opening {}", artefact.path);
}

Status Registry::ReadPackage(const std::string& package, const std::string& version,
                             const std::function<Status(ByteView)>& sink) {
  Result<ArtefactRow> artefact = Status(Code::kNotFound, "");
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_TRY(AsStatus(tx.packages().Get(package, version)));
    artefact = tx.packages().Artefact(trust::FullPath(package, version));
    return OkStatus();
  }));
  const auto unreadable = [&](const Status& why) {
    return Status::Of(Code::kFailedPrecondition, "{} {} cannot be read by this server: {}", package,
                      version, why.message());
  };
  if (!artefact.ok()) return unreadable(artefact.status());
  FERRY_ASSIGN_OR_RETURN(const trust::TargetEntry entry, EntryOf(*artefact));
  const Result<crypto::Secret32> key = ContentKeyOf(*secrets(), *artefact, entry);
  if (!key.ok()) return unreadable(key.status());
  const auto file = options_.blobs->Open(artefact->sha256);
  if (!file.ok()) return unreadable(file.status());
  package::Decompressor plain({}, entry.plain_length, sink);
  crypto::SealOpener opener(*key, entry.length, [&](ByteView piece) { return plain.Write(piece); });
  Bytes piece(kReadPieceBytes);
  for (uint64_t at = 0;;) {
    FERRY_ASSIGN_OR_RETURN(const size_t read, (*file)->ReadAt(at, piece));
    if (read == 0) break;
    at += read;
    FERRY_TRY(opener.Write(ByteView(piece).first(read)));
  }
  FERRY_TRY(opener.Finish());
  return plain.Finish();
}

}  // namespace ferry::server
