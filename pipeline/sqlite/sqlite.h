// SQLite in the few forms that the pipeline needs. One thread at a time.
#pragma once

#include <sqlite3.h>

#include <string>
#include <string_view>

#include "common/base/bytes.h"

namespace ferry::sqlite {

// The Status of a result code other than OK, ROW and DONE: kDiskFull, kIo, kMalformed (damaged or
// no database), kOutOfMemory, kUnavailable (another process holds it), kInternal.
Status SqliteStatus(sqlite3* db, int code, std::string_view doing);

class Statement {
 public:
  Statement() = default;
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Status Prepare(sqlite3* db, std::string_view sql);
  // Values by place, from 1. Texts and blobs must live until Step or Reset.
  void Bind(int at, int64_t value) { sqlite3_bind_int64(statement_, at, value); }
  void Bind(int at, std::string_view text) {
    sqlite3_bind_text64(statement_, at, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  }
  void BindBlob(int at, ByteView bytes) {
    sqlite3_bind_blob64(statement_, at, bytes.data(), bytes.size(), SQLITE_STATIC);
  }
  // True for a row, false at the end.
  Result<bool> Step();
  // Runs to the end and resets.
  Status Run();
  void Reset() { sqlite3_reset(statement_); }
  int64_t Int(int column) const { return sqlite3_column_int64(statement_, column); }
  std::string Text(int column) const;

 private:
  sqlite3* db_ = nullptr;
  sqlite3_stmt* statement_ = nullptr;
};

// Opens or makes the file for the app's user alone: it, its log and its shared memory are 0600,
// also those that were made otherwise before. ":memory:" is no file. `vfs` names the layer below,
// sealed/vfs.h; null: the system's. `*db` is to be closed by the caller, after an error too.
Status OpenPrivate(const std::string& path, sqlite3** db, const char* vfs = nullptr);

// New pages, and those that VACUUM writes, leave room at their end for what seals them.
Status ReservePageEnds(sqlite3* db);

Status Execute(sqlite3* db, const char* sql);

// Commits when `body` returned success, else rolls back and passes its error on.
template <typename Body>
Status Transact(sqlite3* db, Body body) {
  FERRY_TRY(Execute(db, "BEGIN IMMEDIATE"));
  Status status = body();
  if (status.ok()) status = Execute(db, "COMMIT");
  if (!status.ok() && sqlite3_get_autocommit(db) == 0)
    sqlite3_exec(db, "ROLLBACK", nullptr, nullptr, nullptr);
  return status;
}

}  // namespace ferry::sqlite
