// Deltas that the server makes: it holds the content keys of both versions by escrow. What comes
// out of one must still be what offline keys signed, which the device checks.
#include "cloud-server/registry/entries.h"
#include "cloud-server/registry/registry.h"
#include "common/package/artefact.h"

namespace ferry::server {
namespace {

constexpr uint64_t kMadeSpareBytes = 64 << 20;  // left free on the disk
constexpr size_t kPutBytes = 256 << 10;

// A folder for plain packages, which goes with it.
class MadeFolder {
 public:
  MadeFolder(sys::FileSystem& fs, std::string path) : fs_(fs), path_(std::move(path)) {}
  ~MadeFolder() { (void)fs_.RemoveTree(path_); }
  Status Make() {
    FERRY_TRY(fs_.RemoveTree(path_));
    return fs_.MakeDirectories(path_);
  }
  std::string operator/(const char* name) const { return sys::JoinPath(path_, name); }

 private:
  sys::FileSystem& fs_;
  std::string path_;
};

Status CheckRoom(sys::FileSystem& fs, const std::string& folder, const trust::TargetEntry& base,
                 const trust::TargetEntry& full) {
  const uint64_t plain = base.plain_length + full.plain_length;
  if (plain > kMaxMadeDeltaBytes)
    return Status::Of(Code::kLimitExceeded, "a delta of {} bytes, at most {}", plain,
                      kMaxMadeDeltaBytes);
  // Both packages sealed and plain, and both kinds of delta.
  const uint64_t needed = 2 * plain + 2 * full.plain_length + kMadeSpareBytes;
  FERRY_ASSIGN_OR_RETURN(const uint64_t free, fs.FreeBytes(folder));
  if (free >= needed) return OkStatus();
  return Status::Of(Code::kDiskFull, "{}: {} bytes are free, a delta needs {}", folder, free,
                    needed);
}

Status PutBlob(BlobStore& blobs, sys::FileSystem& fs, const std::string& path,
               const std::string& sha256) {
  FERRY_ASSIGN_OR_RETURN(const auto file, fs.OpenForRead(path));
  FERRY_ASSIGN_OR_RETURN(const auto writer, blobs.Put(sha256));
  Bytes buffer(kPutBytes);
  for (uint64_t at = 0;;) {
    FERRY_ASSIGN_OR_RETURN(const size_t read, file->ReadAt(at, buffer));
    if (read > 0) FERRY_TRY(writer->Write(ByteView(buffer).first(read)));
    if (read < buffer.size()) return writer->Commit();
    at += read;
  }
}

}  // namespace

Result<bool> Registry::MakeDelta(const std::string& package, const std::string& version,
                                 const std::string& base, sys::FileSystem& fs,
                                 const std::string& scratch) {
  const std::string path = trust::MadeDeltaPath(package, version, base);
  bool is_there = false;
  ArtefactRow rows[2];
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    is_there = tx.packages().Artefact(path).ok();
    FERRY_ASSIGN_OR_RETURN(rows[0], tx.packages().Artefact(trust::FullPath(package, base)));
    FERRY_ASSIGN_OR_RETURN(rows[1], tx.packages().Artefact(trust::FullPath(package, version)));
    return OkStatus();
  }));
  if (is_there) return false;
  FERRY_ASSIGN_OR_RETURN(const trust::TargetEntry from, EntryOf(rows[0]));
  FERRY_ASSIGN_OR_RETURN(const trust::TargetEntry full, EntryOf(rows[1]));
  MadeFolder folder(fs, scratch);
  FERRY_TRY(folder.Make());
  FERRY_TRY(CheckRoom(fs, scratch, from, full));
  FERRY_TRY(OpenPackage(package, base, fs, folder / "base"));
  FERRY_TRY(OpenPackage(package, version, fs, folder / "next"));
  FERRY_ASSIGN_OR_RETURN(const auto plain_base, fs.Map(folder / "base"));
  FERRY_ASSIGN_OR_RETURN(const auto plain, fs.Map(folder / "next"));
  FERRY_ASSIGN_OR_RETURN(const package::SealedArtefact sealed,
                         package::SealDelta(fs, folder / "delta", plain_base->bytes(),
                                            plain->bytes(), *options_.random));
  if (sealed.length * 100 > full.length * kMostMadeDeltaPercent) return false;
  FERRY_TRY(PutBlob(*options_.blobs, fs, folder / "delta", ToHex(sealed.sha256)));

  const trust::TargetEntry entry =
      trust::MadeEntryOf(full, {base, from.plain_sha256, sealed.length, sealed.sha256});
  ArtefactRow row = ArtefactOf(path, entry);
  row.kind = kMadeKind;
  // No new escrow key comes in between.
  std::lock_guard lock(publish_mutex_);
  FERRY_ASSIGN_OR_RETURN(package::WrappedKey wrapped,
                         package::WrapForEscrow(secrets()->escrow.public_key(), entry,
                                                sealed.content_key, *options_.random));
  row.escrow_enc = std::move(wrapped.enc);
  row.escrow_sealed = std::move(wrapped.sealed);
  FERRY_TRY(options_.store->Write([&](Transaction& tx) -> Status {
    // It may have been withdrawn meanwhile.
    FERRY_TRY(tx.packages().Artefact(rows[1].path));
    return tx.packages().PutArtefact(row);
  }));
  return true;
}

Result<std::optional<trust::MadeDelta>> Registry::MadeDeltaOf(const std::string& package,
                                                              const std::string& version,
                                                              const std::string& base) {
  ArtefactRow row;
  const Status read = options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(row,
                           tx.packages().Artefact(trust::MadeDeltaPath(package, version, base)));
    return OkStatus();
  });
  if (read.code() == Code::kNotFound) return std::optional<trust::MadeDelta>();
  FERRY_TRY(read);
  FERRY_ASSIGN_OR_RETURN(const trust::TargetEntry entry, EntryOf(row));
  if (!entry.base_sha256) return std::optional<trust::MadeDelta>();
  return std::optional(trust::MadeDelta{base, *entry.base_sha256, entry.length, entry.sha256});
}

}  // namespace ferry::server
