#include "cloud-server/store/sqlite/sim/disk.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <cstring>

namespace ferry::server {
namespace {

constexpr size_t kSectorBytes = 512;

struct OpenFile {
  sqlite3_file base;  // first, as SQLite wants it
  SimStoreDisk* disk;
  void* file;    // a std::shared_ptr of it
  int64_t life;  // of the disk when it was opened
};

void Put(std::vector<uint8_t>& to, uint64_t at, const uint8_t* bytes, size_t count) {
  if (to.size() < at + count) to.resize(at + count);
  std::copy_n(bytes, count, to.begin() + static_cast<std::ptrdiff_t>(at));
}

}  // namespace

// What SQLite calls.
struct SimStoreVfs {
  using File = SimStoreDisk::File;
  using Shared = std::shared_ptr<File>;

  static OpenFile& Of(sqlite3_file* file) { return *reinterpret_cast<OpenFile*>(file); }
  static File& ContentOf(sqlite3_file* file) { return **static_cast<Shared*>(Of(file).file); }
  static SimStoreDisk& DiskOf(sqlite3_file* file) { return *Of(file).disk; }
  static bool IsDead(sqlite3_file* file) {
    return Of(file).disk->dead_ || Of(file).life != Of(file).disk->lives_;
  }

  static int Close(sqlite3_file* file) {
    delete static_cast<Shared*>(Of(file).file);
    return SQLITE_OK;
  }
  static int Read(sqlite3_file* file, void* to, int count, sqlite3_int64 from) {
    if (IsDead(file)) return SQLITE_IOERR_READ;
    const std::vector<uint8_t>& present = ContentOf(file).present;
    const auto at = static_cast<size_t>(from), wanted = static_cast<size_t>(count);
    const size_t have = at < present.size() ? std::min(wanted, present.size() - at) : 0;
    if (have > 0) std::memcpy(to, present.data() + at, have);
    if (have == wanted) return SQLITE_OK;
    std::memset(static_cast<char*>(to) + have, 0, wanted - have);
    return SQLITE_IOERR_SHORT_READ;
  }
  static int Write(sqlite3_file* file, const void* from, int count, sqlite3_int64 to) {
    if (IsDead(file)) return SQLITE_IOERR_WRITE;
    SimStoreDisk& disk = DiskOf(file);
    const bool cut = disk.Counted();
    const auto* bytes = static_cast<const uint8_t*>(from);
    auto size = static_cast<size_t>(count);
    const bool is_short = !cut && disk.InTrouble();
    if (is_short) size = disk.random_.Below(size);
    File& content = ContentOf(file);
    content.unsynced.push_back({static_cast<uint64_t>(to), {bytes, bytes + size}, false});
    Put(content.present, static_cast<uint64_t>(to), bytes, size);
    return cut || is_short ? SQLITE_IOERR_WRITE : SQLITE_OK;
  }
  static int Truncate(sqlite3_file* file, sqlite3_int64 size) {
    if (IsDead(file)) return SQLITE_IOERR_TRUNCATE;
    const bool cut = DiskOf(file).Counted();
    File& content = ContentOf(file);
    content.unsynced.push_back({static_cast<uint64_t>(size), {}, true});
    SimStoreDisk::Apply(content.unsynced.back(), content.present);
    return cut ? SQLITE_IOERR_TRUNCATE : SQLITE_OK;
  }
  static int Sync(sqlite3_file* file, int) {
    if (IsDead(file)) return SQLITE_IOERR_FSYNC;
    SimStoreDisk& disk = DiskOf(file);
    if (disk.Counted()) return SQLITE_IOERR_FSYNC;
    File& content = ContentOf(file);
    if (disk.InTrouble()) {
      // The system gives up on what it could not write, and forgets that it did.
      std::erase_if(content.unsynced, [&](const auto&) { return disk.random_.Below(2) == 0; });
      return SQLITE_IOERR_FSYNC;
    }
    for (const auto& piece : content.unsynced) SimStoreDisk::Apply(piece, content.durable);
    content.unsynced.clear();
    return SQLITE_OK;
  }
  static int FileSize(sqlite3_file* file, sqlite3_int64* size) {
    if (IsDead(file)) return SQLITE_IOERR_FSTAT;
    *size = static_cast<sqlite3_int64>(ContentOf(file).present.size());
    return SQLITE_OK;
  }
  // One connection has the file for itself.
  static int Lock(sqlite3_file*, int) { return SQLITE_OK; }
  static int IsReserved(sqlite3_file*, int* reserved) {
    *reserved = 0;
    return SQLITE_OK;
  }
  static int Control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
  static int SectorBytes(sqlite3_file*) { return kSectorBytes; }
  static int Characteristics(sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

  static sqlite3_io_methods MakeMethods() {
    sqlite3_io_methods methods = {};
    methods.iVersion = 1;  // without shared memory: a log is for one connection alone
    methods.xClose = Close;
    methods.xRead = Read;
    methods.xWrite = Write;
    methods.xTruncate = Truncate;
    methods.xSync = Sync;
    methods.xFileSize = FileSize;
    methods.xLock = Lock;
    methods.xUnlock = Lock;
    methods.xCheckReservedLock = IsReserved;
    methods.xFileControl = Control;
    methods.xSectorSize = SectorBytes;
    methods.xDeviceCharacteristics = Characteristics;
    return methods;
  }

  static SimStoreDisk& DiskOf(sqlite3_vfs* vfs) {
    return *static_cast<SimStoreDisk*>(vfs->pAppData);
  }
  static int Open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags,
                  int* out_flags) {
    static const sqlite3_io_methods kMethods = MakeMethods();
    SimStoreDisk& disk = DiskOf(vfs);
    file->pMethods = nullptr;
    if (disk.dead_) return SQLITE_CANTOPEN;
    // A file without a name is a temporary one.
    Shared content = std::make_shared<File>();
    if (name != nullptr) {
      const auto found = disk.files_.find(name);
      if (found == disk.files_.end() && (flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
      Shared& kept = disk.files_[name];
      if (kept == nullptr) kept = content;
      content = kept;
    }
    OpenFile& open = Of(file);
    open.disk = &disk;
    open.life = disk.lives_;
    open.file = new Shared(std::move(content));
    file->pMethods = &kMethods;
    if (out_flags != nullptr) *out_flags = flags;
    return SQLITE_OK;
  }
  static int Delete(sqlite3_vfs* vfs, const char* name, int) {
    SimStoreDisk& disk = DiskOf(vfs);
    if (disk.dead_) return SQLITE_IOERR_DELETE;
    return disk.files_.erase(name) > 0 ? SQLITE_OK : SQLITE_IOERR_DELETE_NOENT;
  }
  static int Exists(sqlite3_vfs* vfs, const char* name, int, int* exists) {
    *exists = DiskOf(vfs).files_.contains(name) ? 1 : 0;
    return SQLITE_OK;
  }
  static int FullName(sqlite3_vfs*, const char* name, int size, char* full) {
    sqlite3_snprintf(size, full, "%s", name);
    return SQLITE_OK;
  }
};

SimStoreDisk::SimStoreDisk(uint64_t seed) : random_(seed) {
  static std::atomic<int> made{0};
  name_ = fmt::format("ferry_sim_{}", made++);
  // Time and chance are those of the system's.
  registered_ = std::make_unique<sqlite3_vfs>(*sqlite3_vfs_find(nullptr));
  sqlite3_vfs& vfs = *registered_;
  vfs.szOsFile = sizeof(OpenFile);
  vfs.pNext = nullptr;
  vfs.zName = name_.c_str();
  vfs.pAppData = this;
  vfs.xOpen = SimStoreVfs::Open;
  vfs.xDelete = SimStoreVfs::Delete;
  vfs.xAccess = SimStoreVfs::Exists;
  vfs.xFullPathname = SimStoreVfs::FullName;
  sqlite3_vfs_register(&vfs, 0);
}

SimStoreDisk::~SimStoreDisk() {
  sqlite3_vfs_unregister(registered_.get());
}

bool SimStoreDisk::Counted() {
  if (++operations_ != cut_at_) return false;
  dead_ = true;
  return true;
}

bool SimStoreDisk::InTrouble() {
  return trouble_ > 0 && random_.NextDouble() < trouble_;
}

void SimStoreDisk::Apply(const Piece& piece, std::vector<uint8_t>& to) {
  if (!piece.truncates) return Put(to, piece.at, piece.bytes.data(), piece.bytes.size());
  if (piece.at < to.size()) to.resize(piece.at);
}

void SimStoreDisk::ApplySome(const Piece& piece, std::vector<uint8_t>& to) {
  switch (random_.Below(4)) {
    case 0:
      return;
    case 1:
      break;
    default:
      return Apply(piece, to);
  }
  if (piece.truncates) return;
  for (size_t at = 0; at < piece.bytes.size(); at += kSectorBytes) {
    const size_t count = std::min(kSectorBytes, piece.bytes.size() - at);
    if (random_.Below(2) == 0) Put(to, piece.at + at, piece.bytes.data() + at, count);
  }
}

void SimStoreDisk::Restore() {
  for (auto& [name, file] : files_) {
    for (const Piece& piece : file->unsynced) ApplySome(piece, file->durable);
    // Another one: connections from before hold the old one, and shall not see it change.
    auto fresh = std::make_shared<File>();
    fresh->present = file->durable;
    fresh->durable = std::move(file->durable);
    file = std::move(fresh);
  }
  ++lives_;
  dead_ = false;
  cut_at_ = 0;
}

size_t SimStoreDisk::unsynced() const {
  size_t bytes = 0;
  for (const auto& [name, file] : files_)
    for (const Piece& piece : file->unsynced) bytes += piece.bytes.size();
  return bytes;
}

}  // namespace ferry::server
