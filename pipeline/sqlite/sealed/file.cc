#include "pipeline/sqlite/sealed/file.h"

#include <algorithm>
#include <cstring>

namespace ferry::sqlite {
namespace {

constexpr char kSqliteMagic[kFrontBytes] = "SQLite format 3";  // with its zero byte
// Of the write-ahead log: its header, then frames of a header and a page.
constexpr int64_t kLogHeaderBytes = 32, kFrameHeaderBytes = 24;
constexpr int64_t kFrameBytes = kFrameHeaderBytes + static_cast<int64_t>(kPageBytes);
constexpr size_t kTellingAt = 8;  // in a frame's header: salts and the checksum of its page
constexpr uint64_t kLogPlace = uint64_t{1} << 63;

SealedFile* Of(sqlite3_file* file) {
  return reinterpret_cast<SealedFile*>(file);
}
sqlite3_file* Below(sqlite3_file* file) {
  return Of(file)->below();
}

// What is read and written as a whole: a page, a frame's header, the log's header.
struct Unit {
  int64_t at = 0;
  int64_t bytes = 0;
  bool page = false;
};

Unit UnitAt(SealedFile::Kind kind, int64_t offset) {
  constexpr auto kPage = static_cast<int64_t>(kPageBytes);
  if (kind == SealedFile::Kind::kDatabase) return {offset / kPage * kPage, kPage, true};
  if (offset < kLogHeaderBytes) return {0, kLogHeaderBytes, false};
  const int64_t frame = (offset - kLogHeaderBytes) / kFrameBytes * kFrameBytes + kLogHeaderBytes;
  if (offset < frame + kFrameHeaderBytes) return {frame, kFrameHeaderBytes, false};
  return {frame + kFrameHeaderBytes, kPage, true};
}

uint64_t PlaceOf(const SealedFile& file, const Unit& unit) {
  if (file.kind == SealedFile::Kind::kLog) return kLogPlace | static_cast<uint64_t>(unit.at);
  return static_cast<uint64_t>(unit.at) / kPageBytes + 1;
}

bool IsFirstPage(const SealedFile& file, const Unit& unit) {
  return file.kind == SealedFile::Kind::kDatabase && unit.at == 0;
}

// False: what is there is not what was written.
bool OpenUnit(SealedFile& file, const Unit& unit, const uint8_t* sealed, uint8_t* plain) {
  if (unit.page) {
    const bool first = IsFirstPage(file, unit);
    if (!file.sealer->Open(PlaceOf(file, unit), first ? kFrontBytes : 0, sealed, plain))
      return false;
    if (first) std::copy_n(kSqliteMagic, kFrontBytes, plain);
    return true;
  }
  std::copy_n(sealed, unit.bytes, plain);
  if (unit.bytes == kFrameHeaderBytes)
    file.sealer->ShowBlock(PlaceOf(file, unit), sealed + kTellingAt, plain + kTellingAt);
  return true;
}

bool SealUnit(SealedFile& file, const Unit& unit, const uint8_t* plain, uint8_t* sealed) {
  if (unit.page) {
    const bool first = IsFirstPage(file, unit);
    if (!file.sealer->Seal(PlaceOf(file, unit), first ? kFrontBytes : 0, plain, sealed))
      return false;
    if (first) std::copy(file.sealer->front().begin(), file.sealer->front().end(), sealed);
    return true;
  }
  std::copy_n(plain, unit.bytes, sealed);
  if (unit.bytes == kFrameHeaderBytes)
    file.sealer->HideBlock(PlaceOf(file, unit), plain + kTellingAt, sealed + kTellingAt);
  return true;
}

// A page that does not open is an error where SQLite wants a page; where it wants less or more
// (the header of a file, a frame with its header) it is zeros: SQLite looks there for what a power
// cut has left, and finds the end of the log or takes the page from the log.
int ReadUnit(SealedFile& file, const Unit& unit, uint8_t* plain, bool whole_page) {
  uint8_t sealed[kPageBytes];
  const int code =
      file.below()->pMethods->xRead(file.below(), sealed, static_cast<int>(unit.bytes), unit.at);
  if (code != SQLITE_OK) {
    std::fill_n(plain, unit.bytes, 0);
    return code;
  }
  if (OpenUnit(file, unit, sealed, plain)) return SQLITE_OK;
  std::fill_n(plain, unit.bytes, 0);
  return whole_page ? SQLITE_CORRUPT : SQLITE_OK;
}

int Read(sqlite3_file* base, void* out, int bytes, sqlite3_int64 offset) {
  SealedFile& file = *Of(base);
  if (file.kind == SealedFile::Kind::kJournal)
    return Below(base)->pMethods->xRead(Below(base), out, bytes, offset);
  auto* to = static_cast<uint8_t*>(out);
  const int64_t end = offset + bytes;
  int answer = SQLITE_OK;
  for (int64_t at = offset; at < end;) {
    const Unit unit = UnitAt(file.kind, at);
    uint8_t plain[kPageBytes];
    const bool whole_page = unit.page && unit.at == offset && unit.bytes == bytes;
    const int code = ReadUnit(file, unit, plain, whole_page);
    if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) return code;
    if (code != SQLITE_OK) answer = code;
    const int64_t upto = std::min(end, unit.at + unit.bytes);
    to = std::copy(plain + (at - unit.at), plain + (upto - unit.at), to);
    at = upto;
  }
  return answer;
}

int Write(sqlite3_file* base, const void* from, int bytes, sqlite3_int64 offset) {
  SealedFile& file = *Of(base);
  // A journal has pages as they were; its header alone is written while a file is made.
  if (file.kind == SealedFile::Kind::kJournal) {
    if (bytes >= static_cast<int>(kPageBytes)) return SQLITE_IOERR_WRITE;
    return Below(base)->pMethods->xWrite(Below(base), from, bytes, offset);
  }
  const Unit unit = UnitAt(file.kind, offset);
  if (unit.at != offset || unit.bytes != bytes) return SQLITE_IOERR_WRITE;
  uint8_t sealed[kPageBytes];
  if (!SealUnit(file, unit, static_cast<const uint8_t*>(from), sealed)) return SQLITE_IOERR_WRITE;
  return Below(base)->pMethods->xWrite(Below(base), sealed, bytes, offset);
}

int Close(sqlite3_file* f) {
  return Below(f)->pMethods->xClose(Below(f));
}
int Truncate(sqlite3_file* f, sqlite3_int64 size) {
  return Below(f)->pMethods->xTruncate(Below(f), size);
}
int Sync(sqlite3_file* f, int flags) {
  return Below(f)->pMethods->xSync(Below(f), flags);
}
int FileSize(sqlite3_file* f, sqlite3_int64* size) {
  return Below(f)->pMethods->xFileSize(Below(f), size);
}
int Lock(sqlite3_file* f, int level) {
  return Below(f)->pMethods->xLock(Below(f), level);
}
int Unlock(sqlite3_file* f, int level) {
  return Below(f)->pMethods->xUnlock(Below(f), level);
}
int CheckReservedLock(sqlite3_file* f, int* out) {
  return Below(f)->pMethods->xCheckReservedLock(Below(f), out);
}
int FileControl(sqlite3_file* f, int op, void* arg) {
  return Below(f)->pMethods->xFileControl(Below(f), op, arg);
}
int SectorSize(sqlite3_file* f) {
  return Below(f)->pMethods->xSectorSize(Below(f));
}
// A page is written with one call, in place: the promise that a torn write hurts no neighbour holds
// as below.
int DeviceCharacteristics(sqlite3_file* f) {
  return Below(f)->pMethods->xDeviceCharacteristics(Below(f));
}
int ShmMap(sqlite3_file* f, int region, int bytes, int extend, void volatile** out) {
  return Below(f)->pMethods->xShmMap(Below(f), region, bytes, extend, out);
}
int ShmLock(sqlite3_file* f, int offset, int n, int flags) {
  return Below(f)->pMethods->xShmLock(Below(f), offset, n, flags);
}
void ShmBarrier(sqlite3_file* f) {
  Below(f)->pMethods->xShmBarrier(Below(f));
}
int ShmUnmap(sqlite3_file* f, int remove) {
  return Below(f)->pMethods->xShmUnmap(Below(f), remove);
}

}  // namespace

const sqlite3_io_methods* SealedMethods() {
  // Version 2: pages are never taken from a mapped file, which would be ciphertext.
  static const sqlite3_io_methods methods = {2,
                                             Close,
                                             Read,
                                             Write,
                                             Truncate,
                                             Sync,
                                             FileSize,
                                             Lock,
                                             Unlock,
                                             CheckReservedLock,
                                             FileControl,
                                             SectorSize,
                                             DeviceCharacteristics,
                                             ShmMap,
                                             ShmLock,
                                             ShmBarrier,
                                             ShmUnmap,
                                             nullptr,
                                             nullptr};
  return &methods;
}

}  // namespace ferry::sqlite
