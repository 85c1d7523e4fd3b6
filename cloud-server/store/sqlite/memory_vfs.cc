#include "cloud-server/store/sqlite/memory_vfs.h"

#include <sqlite3.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

namespace ferry::server {
namespace {

// One huge page of most processors: rows of a large fleet lie everywhere, and each look at one
// would miss the table of small pages.
constexpr sqlite3_int64 kBlockBytes = 2 << 20;

struct Freed {
  void operator()(char* block) const { std::free(block); }
};
using Block = std::unique_ptr<char, Freed>;

// Zeros; null when there is no memory.
Block MakeBlock() {
  Block block(static_cast<char*>(std::aligned_alloc(kBlockBytes, kBlockBytes)));
  if (block == nullptr) return block;
  (void)madvise(block.get(), kBlockBytes, MADV_HUGEPAGE);  // where there are some
  std::memset(block.get(), 0, kBlockBytes);
  return block;
}

struct Content {
  std::vector<Block> blocks;
  sqlite3_int64 size = 0;
};

struct MemoryFile {
  sqlite3_file base;  // first, as SQLite wants it
  Content* content;
};

Content& Of(sqlite3_file* file) {
  return *reinterpret_cast<MemoryFile*>(file)->content;
}

// Calls `copy` with each piece of [from, from + count) that lies in one block.
template <typename Copy>
void EachPiece(Content& content, sqlite3_int64 from, int count, const Copy& copy) {
  for (int done = 0; done < count;) {
    const sqlite3_int64 at = from + done;
    const auto room =
        static_cast<int>(std::min<sqlite3_int64>(kBlockBytes - at % kBlockBytes, count - done));
    copy(content.blocks[static_cast<size_t>(at / kBlockBytes)].get() + at % kBlockBytes, done,
         static_cast<size_t>(room));
    done += room;
  }
}

int Close(sqlite3_file* file) {
  delete reinterpret_cast<MemoryFile*>(file)->content;
  return SQLITE_OK;
}

int Read(sqlite3_file* file, void* to, int count, sqlite3_int64 from) {
  Content& content = Of(file);
  const auto have = static_cast<int>(
      std::clamp<sqlite3_int64>(content.size - from, 0, static_cast<sqlite3_int64>(count)));
  char* bytes = static_cast<char*>(to);
  EachPiece(content, from, have,
            [&](const char* piece, int at, size_t size) { std::memcpy(bytes + at, piece, size); });
  if (have == count) return SQLITE_OK;
  std::memset(bytes + have, 0, static_cast<size_t>(count - have));
  return SQLITE_IOERR_SHORT_READ;
}

int Write(sqlite3_file* file, const void* from, int count, sqlite3_int64 to) {
  Content& content = Of(file);
  const auto blocks = static_cast<size_t>((to + count + kBlockBytes - 1) / kBlockBytes);
  try {
    while (content.blocks.size() < blocks) {
      Block block = MakeBlock();
      if (block == nullptr) return SQLITE_FULL;
      content.blocks.push_back(std::move(block));
    }
  } catch (const std::bad_alloc&) {
    return SQLITE_FULL;
  }
  const char* bytes = static_cast<const char*>(from);
  EachPiece(content, to, count,
            [&](char* piece, int at, size_t size) { std::memcpy(piece, bytes + at, size); });
  content.size = std::max(content.size, to + count);
  return SQLITE_OK;
}

int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  Content& content = Of(file);
  if (size >= content.size) return SQLITE_OK;
  // What is written beyond the end later must find zeros between.
  const sqlite3_int64 end =
      std::min<sqlite3_int64>(content.size, (size + kBlockBytes - 1) / kBlockBytes * kBlockBytes);
  EachPiece(content, size, static_cast<int>(end - size),
            [](char* piece, int, size_t count) { std::memset(piece, 0, count); });
  content.blocks.resize(static_cast<size_t>((size + kBlockBytes - 1) / kBlockBytes));
  content.size = size;
  return SQLITE_OK;
}

int FileSize(sqlite3_file* file, sqlite3_int64* size) {
  *size = Of(file).size;
  return SQLITE_OK;
}

int IsReserved(sqlite3_file*, int* reserved) {
  *reserved = 0;
  return SQLITE_OK;
}

// Nothing is lost and nobody else is there: no sync, no lock.
int Sync(sqlite3_file*, int) {
  return SQLITE_OK;
}
int Lock(sqlite3_file*, int) {
  return SQLITE_OK;
}
int Control(sqlite3_file*, int, void*) {
  return SQLITE_NOTFOUND;
}
int SectorBytes(sqlite3_file*) {
  return 4096;
}
int Characteristics(sqlite3_file*) {
  return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

sqlite3_io_methods MakeMethods() {
  sqlite3_io_methods methods = {};
  methods.iVersion = 1;
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

int Open(sqlite3_vfs*, const char*, sqlite3_file* file, int flags, int* out_flags) {
  static const sqlite3_io_methods kMethods = MakeMethods();
  auto* memory = reinterpret_cast<MemoryFile*>(file);
  memory->content = new (std::nothrow) Content;
  file->pMethods = memory->content != nullptr ? &kMethods : nullptr;
  if (out_flags != nullptr) *out_flags = flags;
  return memory->content != nullptr ? SQLITE_OK : SQLITE_NOMEM;
}

// A file ends with its connection: there is none to find by its name.
int Delete(sqlite3_vfs*, const char*, int) {
  return SQLITE_OK;
}

int Exists(sqlite3_vfs*, const char*, int, int* exists) {
  *exists = 0;
  return SQLITE_OK;
}

int FullName(sqlite3_vfs*, const char* name, int size, char* full) {
  sqlite3_snprintf(size, full, "%s", name);
  return SQLITE_OK;
}

sqlite3_vfs MakeVfs() {
  // Time and chance are those of the system's.
  sqlite3_vfs vfs = *sqlite3_vfs_find(nullptr);
  vfs.szOsFile = sizeof(MemoryFile);
  vfs.pNext = nullptr;
  vfs.zName = "ferry_memory";
  vfs.xOpen = Open;
  vfs.xDelete = Delete;
  vfs.xAccess = Exists;
  vfs.xFullPathname = FullName;
  return vfs;
}

}  // namespace

const char* MemoryVfs() {
  static sqlite3_vfs vfs = MakeVfs();
  static const int registered = sqlite3_vfs_register(&vfs, 0);
  return registered == SQLITE_OK ? vfs.zName : nullptr;
}

}  // namespace ferry::server
