#include "pipeline/sqlite/sealed/vfs.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "pipeline/sqlite/sealed/file.h"
#include "pipeline/sqlite/sqlite.h"

namespace ferry::sqlite {
namespace {

constexpr char kPlainMagic[kFrontBytes] = "SQLite format 3";

sqlite3_vfs* System() {
  static sqlite3_vfs* const system = sqlite3_vfs_find(nullptr);
  return system;
}

PageSealer* SealerOf(sqlite3_vfs* vfs) {
  return static_cast<PageSealer*>(vfs->pAppData);
}

int OpenSealed(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* base, int flags,
               int* out_flags) {
  auto* file = reinterpret_cast<SealedFile*>(base);
  base->pMethods = nullptr;
  file->sealer = SealerOf(vfs);
  if (flags & SQLITE_OPEN_MAIN_DB)
    file->kind = SealedFile::Kind::kDatabase;
  else if (flags & SQLITE_OPEN_WAL)
    file->kind = SealedFile::Kind::kLog;
  else if (flags & SQLITE_OPEN_MAIN_JOURNAL)
    file->kind = SealedFile::Kind::kJournal;
  else
    return SQLITE_CANTOPEN;  // it would lie there as it is
  const int code = System()->xOpen(System(), name, file->below(), flags, out_flags);
  if (file->below()->pMethods != nullptr) base->pMethods = SealedMethods();
  return code;
}

int Delete(sqlite3_vfs*, const char* name, int sync) {
  return System()->xDelete(System(), name, sync);
}
int Access(sqlite3_vfs*, const char* name, int flags, int* out) {
  return System()->xAccess(System(), name, flags, out);
}
int FullPathname(sqlite3_vfs*, const char* name, int bytes, char* out) {
  return System()->xFullPathname(System(), name, bytes, out);
}
int Randomness(sqlite3_vfs*, int bytes, char* out) {
  return System()->xRandomness(System(), bytes, out);
}
int Sleep(sqlite3_vfs*, int us) {
  return System()->xSleep(System(), us);
}
int CurrentTime(sqlite3_vfs*, double* out) {
  return System()->xCurrentTime(System(), out);
}
int GetLastError(sqlite3_vfs*, int bytes, char* out) {
  return System()->xGetLastError(System(), bytes, out);
}
int CurrentTimeInt64(sqlite3_vfs*, sqlite3_int64* out) {
  return System()->xCurrentTimeInt64(System(), out);
}

Status Sync(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = fd >= 0 && fsync(fd) == 0;
  const int error = errno;
  if (fd >= 0) close(fd);
  return synced ? OkStatus() : Status::Of(Code::kIo, "syncing: {}", strerror(error));
}

// Turns a fresh file that VACUUM has written to the mode that is sealed.
Status UseLog(const std::string& path, const SealedVfs& vfs) {
  sqlite3* db = nullptr;
  Status done = [&]() -> Status {
    FERRY_TRY(OpenPrivate(path, &db, vfs.name()));
    return Execute(db, "PRAGMA journal_mode = MEMORY; PRAGMA journal_mode = WAL;");
  }();
  sqlite3_close_v2(db);
  return done;
}

Status SyncFolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return Sync(slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash));
}

// A database and what lies beside it; nothing of it need be there.
Status RemoveFiles(const std::string& path) {
  for (const char* ending : {"", "-wal", "-shm", "-journal"})
    if (unlink((path + ending).c_str()) != 0 && errno != ENOENT)
      return Status::Of(Code::kIo, "removing {}: {}", path, strerror(errno));
  return OkStatus();
}

// An empty database in the mode that is sealed: its first page lies in the file, durable.
Status WriteEmpty(const std::string& path, const SealedVfs& vfs) {
  sqlite3* db = nullptr;
  Status done = [&]() -> Status {
    FERRY_TRY(OpenPrivate(path, &db, vfs.name()));
    FERRY_TRY(ReservePageEnds(db));
    return Execute(db,
                   "PRAGMA temp_store = MEMORY; PRAGMA journal_mode = MEMORY;"
                   "PRAGMA journal_mode = WAL;");
  }();
  sqlite3_close_v2(db);
  FERRY_TRY(done);
  return Sync(path);
}

// With what a URI gives a meaning written as %XX.
std::string UriOf(const std::string& path, const char* vfs) {
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#')
      uri += "%" + ToHex({reinterpret_cast<const uint8_t*>(&c), 1});
    else
      uri += c;
  }
  return vfs == nullptr ? uri : uri + "?vfs=" + vfs;
}

Status VacuumInto(const std::string& path, const std::string& fresh, const SealedVfs& vfs) {
  sqlite3* db = nullptr;
  Status done = [&]() -> Status {
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI;
    const int code = sqlite3_open_v2(UriOf(path, nullptr).c_str(), &db, flags, nullptr);
    if (code != SQLITE_OK) return SqliteStatus(db, code, "opening");
    FERRY_TRY(ReservePageEnds(db));
    FERRY_TRY(Execute(db, "PRAGMA temp_store = MEMORY"));
    const std::string to = UriOf(fresh, vfs.name());
    Statement vacuum;
    FERRY_TRY(vacuum.Prepare(db, "VACUUM INTO ?"));
    vacuum.Bind(1, to);
    return vacuum.Run();
  }();
  sqlite3_close_v2(db);
  return done;
}

}  // namespace

struct SealedVfs::State {
  explicit State(const crypto::Secret32& key) : sealer(key) {}
  PageSealer sealer;
  std::string name;
  sqlite3_vfs vfs{};
};

SealedVfs::SealedVfs(const crypto::Secret32& key) : state_(std::make_unique<State>(key)) {
  static std::atomic<uint64_t> count{0};
  state_->name = "ferry-sealed-" + std::to_string(++count);
  sqlite3_vfs& vfs = state_->vfs;
  vfs.iVersion = 2;
  vfs.szOsFile = static_cast<int>(sizeof(SealedFile)) + System()->szOsFile;
  vfs.mxPathname = System()->mxPathname;
  vfs.zName = state_->name.c_str();
  vfs.pAppData = &state_->sealer;
  vfs.xOpen = OpenSealed;
  vfs.xDelete = Delete;
  vfs.xAccess = Access;
  vfs.xFullPathname = FullPathname;
  vfs.xRandomness = Randomness;
  vfs.xSleep = Sleep;
  vfs.xCurrentTime = CurrentTime;
  vfs.xGetLastError = GetLastError;
  vfs.xCurrentTimeInt64 = CurrentTimeInt64;
  sqlite3_vfs_register(&vfs, 0);
}

SealedVfs::~SealedVfs() {
  sqlite3_vfs_unregister(&state_->vfs);
}

const char* SealedVfs::name() const {
  return state_->name.c_str();
}

Result<FileKind> KindOf(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) return FileKind::kNew;
  if (fd < 0) return Status::Of(Code::kIo, "opening: {}", strerror(errno));
  char front[kFrontBytes];
  const ssize_t bytes = read(fd, front, sizeof(front));
  const int error = errno;
  close(fd);
  if (bytes < 0) return Status::Of(Code::kIo, "reading: {}", strerror(error));
  if (bytes == 0) return FileKind::kNew;
  if (bytes < static_cast<ssize_t>(sizeof(front))) return FileKind::kOther;
  if (memcmp(front, kPlainMagic, sizeof(front)) == 0) return FileKind::kPlain;
  return memcmp(front, kSealedMagic, strlen(kSealedMagic)) == 0 ? FileKind::kSealed
                                                                : FileKind::kOther;
}

Status CheckKey(const std::string& path, const std::optional<crypto::Secret32>& key) {
  if (!key) return Status(Code::kWrongKey, "the file is sealed, and there is no key");
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Status::Of(Code::kIo, "opening: {}", strerror(errno));
  Front front{};
  const ssize_t bytes = read(fd, front.data(), front.size());
  close(fd);
  if (bytes != static_cast<ssize_t>(front.size()) || front != PageSealer(*key).front())
    return Status(Code::kWrongKey, "the file is sealed under another key");
  return OkStatus();
}

Status MakeFile(const std::string& path, const crypto::Secret32& key) {
  const std::string fresh = path + ".making-" + std::to_string(getpid());
  FERRY_TRY(RemoveFiles(fresh));
  const SealedVfs vfs(key);
  FERRY_TRY(WriteEmpty(fresh, vfs));
  // A link, for it replaces nothing that another process made meanwhile.
  int failed = link(fresh.c_str(), path.c_str()) == 0 ? 0 : errno;
  if (failed == EEXIST || failed == EPERM || failed == ENOTSUP) {  // or there are no links
    FERRY_ASSIGN_OR_RETURN(const FileKind kind, KindOf(path));
    failed = kind != FileKind::kNew || rename(fresh.c_str(), path.c_str()) == 0 ? 0 : errno;
  }
  FERRY_TRY(RemoveFiles(fresh));
  if (failed != 0) return Status::Of(Code::kIo, "making the file: {}", strerror(failed));
  return SyncFolderOf(path);
}

Status SealFile(const std::string& path, const crypto::Secret32& key) {
  const std::string fresh = path + ".sealing";
  FERRY_TRY(RemoveFiles(fresh));
  const SealedVfs vfs(key);
  FERRY_TRY(VacuumInto(path, fresh, vfs));
  FERRY_TRY(UseLog(fresh, vfs));
  FERRY_TRY(Sync(fresh));
  // The plain file's log was put into it when VacuumInto closed it, and goes before the file does:
  // a sealed file with a plain log beside it would not open.
  for (const char* ending : {"-wal", "-shm"})
    if (unlink((path + ending).c_str()) != 0 && errno != ENOENT)
      return Status::Of(Code::kIo, "removing the log: {}", strerror(errno));
  if (rename(fresh.c_str(), path.c_str()) != 0)
    return Status::Of(Code::kIo, "renaming: {}", strerror(errno));
  return SyncFolderOf(path);
}

}  // namespace ferry::sqlite
