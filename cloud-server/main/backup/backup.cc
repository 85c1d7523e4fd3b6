#include "cloud-server/main/backup/backup.h"

#include <algorithm>
#include <map>
#include <set>

#include "cloud-server/main/backup/folder_lock.h"
#include "cloud-server/main/home.h"
#include "cloud-server/store/move/move.h"
#include "cloud-server/store/sqlite/sqlite_store.h"

namespace ferry::server {
namespace {

constexpr int kMaxTurns = 5;  // to copy keys and database while nobody changes the keys
constexpr uint64_t kDatabasePageBytes = 4096;
constexpr const char* kDatabase = "ferry.db";

bool IsContent(const std::string& path) {
  return path.starts_with("content/");
}

// A backup on its way: in a folder beside its place until it is whole.
class Writer {
 public:
  Writer(ServerHome home, std::string to, BlobStore* blobs, const BackupProgress& progress)
      : home_(std::move(home)),
        to_(std::move(to)),
        fresh_(to_ + ".partial"),
        blobs_(blobs),
        progress_(progress) {}

  Result<BackupDone> Run(int64_t now_ms) {
    FERRY_TRY(ReadBefore());
    FERRY_TRY(sys::SystemFileSystem().MakeDirectories(fresh_));
    FERRY_ASSIGN_OR_RETURN(const FolderLock lock,
                           FolderLock::Take(fresh_, "another backup is being written"));
    Status status = Write(now_ms);
    if (status.ok()) {
      const std::string aside = to_ + ".replaced";
      status = sys::SystemFileSystem().RemoveTree(aside);
      if (status.ok()) status = PutInPlace(fresh_, to_, aside);
      if (status.ok()) status = sys::SystemFileSystem().RemoveTree(aside);
    }
    if (!status.ok()) {
      (void)sys::SystemFileSystem().RemoveTree(fresh_);
      return status;
    }
    return std::move(done_);
  }

 private:
  // The backup that is there; what is no backup is left alone.
  Status ReadBefore() {
    sys::FileSystem& fs = sys::SystemFileSystem();
    if (!sys::Exists(fs, to_)) return OkStatus();
    FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> names, fs.List(to_));
    if (names.empty()) return OkStatus();
    Result<Manifest> before = ReadManifest(to_);
    if (before.code() == Code::kNotFound)
      return Status::Of(Code::kAlreadyExists, "{}: something else than a backup is there", to_);
    if (!before.ok()) return OkStatus();  // damaged: nothing is taken over
    for (FileEntry& file : before->files)
      if (IsContent(file.path)) before_[file.path] = std::move(file);
    return OkStatus();
  }

  Status Write(int64_t now_ms) {
    done_.manifest.tenant = home_.config.tenant;
    done_.manifest.made_ms = now_ms;
    FERRY_TRY(CopyState());
    FERRY_ASSIGN_OR_RETURN(const StoreFacts facts,
                           InspectSqliteStore(sys::JoinPath(fresh_, kDatabase)));
    done_.manifest.schema = facts.schema;
    for (const std::string& problem : facts.problems) done_.problems.push_back(problem);
    FERRY_TRY(NameOwnDatabase());
    FERRY_TRY(CopyContent());
    FERRY_TRY(FetchContent(facts.artefacts));
    for (const ArtefactRow& row : facts.artefacts) {
      if (!copied_.contains(BlobPath("content", row.sha256)))
        done_.problems.push_back(
            fmt::format("{}: its content {} is not here", row.path, row.sha256));
    }
    std::sort(done_.manifest.files.begin(), done_.manifest.files.end(),
              [](const FileEntry& a, const FileEntry& b) { return a.path < b.path; });
    FERRY_TRY(SyncFolders(fresh_));
    return WriteManifest(fresh_, done_.manifest);
  }

  // Keys and configuration of one moment, with the database of that moment: keys may be replaced
  // meanwhile, and the roots in the database name them.
  Status CopyState() {
    for (int turn = 0; turn < kMaxTurns; ++turn) {
      FERRY_TRY(Empty());
      done_.manifest.files.clear();
      FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> before, StateFiles());
      for (const std::string& path : before) {
        FERRY_ASSIGN_OR_RETURN(FileEntry entry,
                               CopyBetween(home_.directory, fresh_, path, nullptr));
        done_.manifest.files.push_back(std::move(entry));
      }
      FERRY_TRY(CopyDatabase());
      FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> after, StateFiles());
      bool same = before == after;
      for (const FileEntry& entry : done_.manifest.files) {
        if (!same || entry.path == kDatabase) continue;
        const Result<FileEntry> now = DescribeFile(home_.directory, entry.path);
        same = now.ok() && now->sha256 == entry.sha256;
      }
      if (same) return OkStatus();
    }
    return Status::Of(Code::kUnavailable, "{}: keys or configuration changed {} times meanwhile",
                      home_.directory, kMaxTurns);
  }

  Result<std::vector<std::string>> StateFiles() const {
    return FilesBelow(home_.directory,
                      [](const std::string& path) { return IsLeftOut(path) || path == "content"; });
  }

  // What an attempt that was cut off left there.
  Status Empty() const {
    FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                           sys::SystemFileSystem().List(fresh_));
    for (const std::string& name : names)
      FERRY_TRY(sys::SystemFileSystem().RemoveTree(sys::JoinPath(fresh_, name)));
    return OkStatus();
  }

  Status CopyDatabase() {
    const std::string target = sys::JoinPath(fresh_, kDatabase);
    // SQLite would let everyone read it; its other files take after it.
    FERRY_ASSIGN_OR_RETURN(
        const auto file, sys::SystemFileSystem().OpenForWrite(target, sys::WriteMode::kMustBeNew));
    FERRY_TRY(file->Close());
    if (home_.config.store.empty()) {
      FERRY_TRY(CopySqliteStore(home_.Path(kDatabase), target, [this](int64_t done, int64_t) {
        if (progress_) progress_("database", static_cast<uint64_t>(done) * kDatabasePageBytes);
      }));
    } else {
      FERRY_TRY(CopyPostgresRows(home_.config.store, target, {}));
    }
    FERRY_ASSIGN_OR_RETURN(FileEntry entry, DescribeFile(fresh_, kDatabase));
    done_.manifest.files.push_back(std::move(entry));
    return OkStatus();
  }

  Status CopyContent() {
    const std::string content = home_.Path("content");
    if (!sys::Exists(sys::SystemFileSystem(), content)) return OkStatus();
    FERRY_ASSIGN_OR_RETURN(
        const std::vector<std::string> names,
        FilesBelow(content, [](const std::string& path) { return IsLeftOut("content/" + path); }));
    for (const std::string& name : names) FERRY_TRY(CopyBlob("content/" + name));
    return OkStatus();
  }

  // What lies in the bucket alone.
  Status FetchContent(const std::vector<ArtefactRow>& artefacts) {
    if (blobs_ == nullptr) return OkStatus();
    sys::FileSystem& fs = sys::SystemFileSystem();
    for (const ArtefactRow& row : artefacts) {
      const std::string path = BlobPath("content", row.sha256);
      if (copied_.contains(path)) continue;
      FERRY_TRY(fs.MakeDirectories(sys::ParentPath(sys::JoinPath(fresh_, path))));
      if (TakeOver(path)) continue;
      const std::string place = sys::JoinPath(fresh_, path);
      const Status fetched = blobs_->CopyTo(row.sha256, place);
      if (fetched.code() == Code::kNotFound) continue;  // a problem of the server's
      FERRY_TRY(fetched.Context("{}", row.path));
      FERRY_ASSIGN_OR_RETURN(FileEntry entry, DescribeFile(fresh_, path));
      if (entry.sha256 != row.sha256) {
        done_.problems.push_back(
            fmt::format("{}: the bucket gives SHA-256 {}", path, entry.sha256));
        FERRY_TRY(fs.Remove(place));
        continue;
      }
      Count(entry.bytes);
      Keep(std::move(entry));
    }
    return OkStatus();
  }

  // The rows are in the backup's own file: what is restored must not open the database that the
  // server it was made of goes on with.
  Status NameOwnDatabase() {
    if (home_.config.store.empty()) return OkStatus();
    ServerConfig config = home_.config;
    config.store.clear();
    FERRY_TRY(SaveConfig(sys::SystemFileSystem(), fresh_, config));
    for (FileEntry& entry : done_.manifest.files) {
      if (entry.path != "server.json") continue;
      FERRY_ASSIGN_OR_RETURN(entry, DescribeFile(fresh_, entry.path));
    }
    return OkStatus();
  }

  // From the backup that is there, where it holds the blob unharmed.
  bool TakeOver(const std::string& path) {
    if (!before_.contains(path)) return false;
    const Result<FileEntry> old = DescribeFile(to_, path);
    if (!old.ok() || old->sha256 != path.substr(path.rfind('/') + 1)) return false;
    if (!LinkBetween(to_, fresh_, path).ok()) return false;
    ++done_.taken_over;
    Count(old->bytes);
    Keep(*old);
    return true;
  }

  // A blob's name is its SHA-256, so that both sides can be checked.
  Status CopyBlob(const std::string& path) {
    const std::string wanted = path.substr(path.rfind('/') + 1);
    if (TakeOver(path)) return OkStatus();
    Result<FileEntry> entry =
        CopyBetween(home_.directory, fresh_, path, [this](uint64_t bytes) { Count(bytes); });
    if (entry.code() == Code::kNotFound) return OkStatus();  // nobody needs it any more
    FERRY_TRY(entry);
    if (IsBlobName(wanted) && entry->sha256 != wanted) {
      done_.problems.push_back(fmt::format("{} has SHA-256 {}", path, entry->sha256));
      return sys::SystemFileSystem().Remove(sys::JoinPath(fresh_, path));
    }
    Keep(std::move(*entry));
    return OkStatus();
  }

  void Keep(FileEntry entry) {
    copied_.insert(entry.path);
    done_.manifest.files.push_back(std::move(entry));
  }
  void Count(uint64_t bytes) {
    copied_bytes_ += bytes;
    if (progress_) progress_("content", copied_bytes_);
  }

  const ServerHome home_;
  const std::string to_, fresh_;
  BlobStore* const blobs_;  // may be null
  const BackupProgress& progress_;
  std::map<std::string, FileEntry> before_;  // content of the backup that is there
  std::set<std::string> copied_;
  uint64_t copied_bytes_ = 0;
  BackupDone done_;
};

}  // namespace

bool IsLeftOut(const std::string& path) {
  return path == kDatabase || path.starts_with("ferry.db-") || path.starts_with("ferry.db.mov") ||
         path == "content/incoming" || path.starts_with("scratch") || path == kHolderFile;
}

Result<BackupDone> MakeBackup(const std::string& home, const std::string& to, int64_t now_ms,
                              const BackupProgress& progress, BlobStore* blobs) {
  const std::string from = PlainPath(home), place = PlainPath(to);
  if ((place + "/").starts_with(from + "/") || (from + "/").starts_with(place + "/"))
    return Status::Of(Code::kInvalidArgument, "a backup of {} cannot lie in {}", from, place);
  FERRY_ASSIGN_OR_RETURN(ServerHome opened, OpenHome(sys::SystemFileSystem(), from));
  FERRY_TRY(sys::SystemFileSystem().MakeDirectories(sys::ParentPath(place)));
  return Writer(std::move(opened), place, blobs, progress).Run(now_ms);
}

}  // namespace ferry::server
