#include "pipeline/sqlite/sqlite.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "pipeline/sqlite/sealed/page.h"

namespace ferry::sqlite {

Status SqliteStatus(sqlite3* db, int code, std::string_view doing) {
  Code out = Code::kInternal;
  switch (code & 0xff) {
    case SQLITE_FULL:
      out = Code::kDiskFull;
      break;
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
      out = Code::kIo;
      break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      out = Code::kMalformed;
      break;
    case SQLITE_NOMEM:
      out = Code::kOutOfMemory;
      break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      out = Code::kUnavailable;
      break;
    case SQLITE_TOOBIG:
      out = Code::kLimitExceeded;
      break;
    default:
      break;
  }
  return Status::Of(out, "{}: {}", doing,
                    db == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(db));
}

Status Statement::Prepare(sqlite3* db, std::string_view sql) {
  db_ = db;
  const int code = sqlite3_prepare_v3(db, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement_, nullptr);
  return code == SQLITE_OK ? OkStatus() : SqliteStatus(db, code, sql);
}

Result<bool> Statement::Step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  Status status = SqliteStatus(db_, code, sqlite3_sql(statement_));
  Reset();
  return status;
}

Status Statement::Run() {
  while (true) {
    FERRY_ASSIGN_OR_RETURN(bool more, Step());
    if (!more) break;
  }
  Reset();
  return OkStatus();
}

std::string Statement::Text(int column) const {
  const void* bytes = sqlite3_column_blob(statement_, column);
  const auto size = static_cast<size_t>(sqlite3_column_bytes(statement_, column));
  return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
}

Status OpenPrivate(const std::string& path, sqlite3** db, const char* vfs) {
  constexpr mode_t kPrivate = 0600;
  if (path != ":memory:") {
    // SQLite makes its other files with the rights of this one.
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kPrivate);
    if (fd < 0) return Status::Of(Code::kIo, "opening: {}", strerror(errno));
    const bool private_now = fchmod(fd, kPrivate) == 0;
    const int error = errno;
    close(fd);
    if (!private_now) return Status::Of(Code::kIo, "making it private: {}", strerror(error));
    for (const char* ending : {"-wal", "-shm", "-journal"})
      if (chmod((path + ending).c_str(), kPrivate) != 0 && errno != ENOENT)
        return Status::Of(Code::kIo, "making {} private: {}", ending, strerror(errno));
  }
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(path.c_str(), db, flags, vfs);
  return code == SQLITE_OK ? OkStatus() : SqliteStatus(*db, code, "opening");
}

Status ReservePageEnds(sqlite3* db) {
  int bytes = static_cast<int>(kReservedBytes);
  const int code = sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes);
  return code == SQLITE_OK ? OkStatus() : SqliteStatus(db, code, "reserving the ends of pages");
}

Status Execute(sqlite3* db, const char* sql) {
  const int code = sqlite3_exec(db, sql, nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? OkStatus() : SqliteStatus(db, code, sql);
}

}  // namespace ferry::sqlite
