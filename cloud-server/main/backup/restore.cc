#include <optional>

#include "cloud-server/main/backup/backup.h"
#include "cloud-server/main/backup/folder_lock.h"
#include "cloud-server/main/home.h"
#include "cloud-server/main/node.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

// Copies all files of the backup into the empty folder `fresh`, each checked as it goes.
Status CopyAll(const std::string& from, const std::string& fresh, const Manifest& manifest,
               const BackupProgress& progress) {
  uint64_t copied = 0;
  for (const FileEntry& wanted : manifest.files) {
    FERRY_ASSIGN_OR_RETURN(const FileEntry entry,
                           CopyBetween(from, fresh, wanted.path, [&](uint64_t bytes) {
                             copied += bytes;
                             if (progress) progress("copying", copied);
                           }));
    if (entry.sha256 != wanted.sha256)
      return Status::Of(Code::kCorruptContent, "{}: {} changed while it was copied", from,
                        wanted.path);
  }
  sys::FileSystem& fs = sys::SystemFileSystem();
  for (const char* folder : {"content", "scratch"})
    FERRY_TRY(fs.MakeDirectories(sys::JoinPath(fresh, folder)));
  return OkStatus();
}

// Devices have seen what the server said after the backup: its versions must be above that. The
// counters of assignments go on by themselves (core/counters.h).
Status GoOnAbove(const std::string& fresh, const Manifest& manifest, int64_t now_ms) {
  FERRY_ASSIGN_OR_RETURN(const ServerHome home, OpenHome(sys::SystemFileSystem(), fresh));
  const std::string made = std::to_string(manifest.made_ms);
  return WithAudit(home, "ferry-server restore", made, [&](const AdminOptions& admin) -> Status {
    FERRY_TRY(admin.registry->Renew());
    const Json note = {{"backup_ms", manifest.made_ms}, {"restored_ms", now_ms}};
    return admin.store->Write([&](Transaction& tx) -> Status {
      return tx.access().PutSetting(kRestoredSetting, WriteJson(note));
    });
  });
}

Status Fill(const std::string& from, const std::string& fresh, const Manifest& manifest,
            int64_t now_ms, const BackupProgress& progress) {
  FERRY_TRY(CopyAll(from, fresh, manifest, progress));
  FERRY_TRY(GoOnAbove(fresh, manifest, now_ms));
  return SyncFolders(fresh);
}

}  // namespace

Result<RestoreDone> RestoreBackup(const std::string& from, const std::string& home, bool replace,
                                  int64_t now_ms, const BackupProgress& progress) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  const std::string place = PlainPath(home), fresh = place + ".partial";
  std::optional<FolderLock> in_use;
  bool empty = true;
  if (sys::Exists(fs, place)) {
    FERRY_ASSIGN_OR_RETURN(FolderLock lock,
                           FolderLock::TakeHome(place, "ferry-server restore", now_ms));
    in_use.emplace(std::move(lock));
    FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> names, fs.List(place));
    empty = names == std::vector<std::string>{kHolderFile};
    if (!empty && !replace)
      return Status::Of(Code::kAlreadyExists, "{} is not empty; --replace puts it aside", place);
  }
  FERRY_ASSIGN_OR_RETURN(Manifest manifest, ReadManifest(from));
  uint64_t read = 0;
  FERRY_TRY(VerifyFiles(from, manifest, [&](uint64_t bytes) {
    read += bytes;
    if (progress) progress("verifying", read);
  }));
  FERRY_TRY(fs.MakeDirectories(sys::ParentPath(place)));
  FERRY_TRY(fs.RemoveTree(fresh));  // what an attempt that was cut off left there
  FERRY_TRY(fs.MakeDirectories(fresh));
  RestoreDone done;
  Status status = Fill(from, fresh, manifest, now_ms, progress);
  if (status.ok()) {
    const std::string aside = fmt::format("{}.replaced-{}", place, now_ms);
    if (empty) status = fs.RemoveTree(place);
    if (status.ok()) status = PutInPlace(fresh, place, aside);
    if (!empty) done.replaced = aside;
  }
  if (!status.ok()) {
    (void)fs.RemoveTree(fresh);
    return status;
  }
  done.manifest = std::move(manifest);
  return done;
}

}  // namespace ferry::server
