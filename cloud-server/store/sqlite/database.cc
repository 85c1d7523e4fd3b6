#include "cloud-server/store/sqlite/database.h"

#include <sqlite3.h>

#include "cloud-server/store/sqlite/memory_vfs.h"
#include "cloud-server/store/store.h"

namespace ferry::server {
namespace {

// Small objects of a connection that need no allocation: rows of texts take many.
constexpr int kLookasideBytes = 1200, kLookasideCount = 400;

// Counters of memory that nobody reads cost a lock at each allocation. Ends without effect where
// something else in the process used SQLite before.
void ConfigureOnce() {
  static const int done = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  (void)done;
}

Code CodeOf(int extended) {
  if (extended == SQLITE_CONSTRAINT_FOREIGNKEY) return Code::kNotFound;
  switch (extended & 0xff) {
    case SQLITE_CONSTRAINT:
      return Code::kAlreadyExists;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Code::kUnavailable;
    case SQLITE_FULL:
      return Code::kDiskFull;
    case SQLITE_NOMEM:
      return Code::kOutOfMemory;
    case SQLITE_TOOBIG:
      return Code::kLimitExceeded;
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return Code::kMalformed;
    case SQLITE_READONLY:
    case SQLITE_AUTH:
    case SQLITE_PERM:
      return Code::kPermissionDenied;
    default:
      return Code::kIo;
  }
}

class SqliteRow : public Row {
 public:
  explicit SqliteRow(sqlite3_stmt* statement) : statement_(statement) {}
  int64_t NextInt() override { return sqlite3_column_int64(statement_, column_++); }

  std::string NextText() override {
    const unsigned char* text = sqlite3_column_text(statement_, column_);
    const int size = sqlite3_column_bytes(statement_, column_++);
    if (text == nullptr || size <= 0) return {};
    return std::string(reinterpret_cast<const char*>(text), static_cast<size_t>(size));
  }

  Bytes NextBytes() override {
    const void* blob = sqlite3_column_blob(statement_, column_);
    const int size = sqlite3_column_bytes(statement_, column_++);
    if (blob == nullptr || size <= 0) return {};
    const uint8_t* begin = static_cast<const uint8_t*>(blob);
    return Bytes(begin, begin + size);
  }

 private:
  sqlite3_stmt* statement_;
  int column_ = 0;
};

}  // namespace

Database::Database(sqlite3* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

Database::~Database() {
  for (auto& [sql, statement] : prepared_) sqlite3_finalize(statement);
  sqlite3_close_v2(handle_);
}

Result<std::unique_ptr<Database>> Database::Open(const std::string& path, Mode mode,
                                                 const char* vfs) {
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  if (mode == Mode::kReadOnly) {
    flags |= SQLITE_OPEN_READONLY;
  } else {
    flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  }
  ConfigureOnce();
  sqlite3* handle = nullptr;
  // Not ":memory:", of which each commit walks over a table of all pages.
  const bool in_memory = mode == Mode::kMemory;
  const int code = sqlite3_open_v2(in_memory ? "memory" : path.c_str(), &handle, flags,
                                   in_memory ? MemoryVfs() : vfs);
  std::unique_ptr<Database> database(new Database(handle, path));
  if (code != SQLITE_OK) return database->Failure(code, "open");
  sqlite3_db_config(handle, SQLITE_DBCONFIG_LOOKASIDE, nullptr, kLookasideBytes, kLookasideCount);
  if (in_memory) {
    // Nobody else sees it, so that no lock and no change counter has to be looked at. The cache
    // stays small: each commit walks over its table, as SQLite looks for a page at 1 GiB in it.
    FERRY_TRY(
        database->Script("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; "
                         "PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;"));
  }
  if (mode == Mode::kAlone) FERRY_TRY(database->Script("PRAGMA locking_mode = EXCLUSIVE;"));
  sqlite3_busy_timeout(handle, kLockTimeoutMs);
  FERRY_TRY(database->Script("PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;"));
  return database;
}

Status Database::Failure(int code, std::string_view what) const {
  const char* text = handle_ != nullptr ? sqlite3_errmsg(handle_) : "out of memory";
  return Status::Of(CodeOf(code), "database {}: {}: {}", path_, what, text);
}

Status Database::Script(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? OkStatus() : Failure(code, sql.substr(0, 60));
}

Result<sqlite3_stmt*> Database::Prepare(const char* sql) {
  auto found = prepared_.find(sql);
  if (found != prepared_.end()) return found->second;
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v3(handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return Failure(code, sql);
  prepared_[sql] = statement;
  return statement;
}

Status Database::Bind(sqlite3_stmt* statement, std::span<const Value> values) {
  int index = 1;
  for (const Value& value : values) {
    int code = SQLITE_OK;
    const auto size = static_cast<sqlite3_uint64>(value.text().size());
    // An empty view may hold a null pointer, which SQLite would take for NULL.
    const char* data = value.text().empty() ? "" : value.text().data();
    switch (value.kind()) {
      case Value::Kind::kNumber:
        code = sqlite3_bind_int64(statement, index, value.number());
        break;
      case Value::Kind::kText:
        code = sqlite3_bind_text64(statement, index, data, size, SQLITE_STATIC, SQLITE_UTF8);
        break;
      case Value::Kind::kBytes:
        code = sqlite3_bind_blob64(statement, index, data, size, SQLITE_STATIC);
        break;
      case Value::Kind::kNumbers:
      case Value::Kind::kTexts:
      case Value::Kind::kBlobs:
        return Status(Code::kInternal, "SQLite takes no lists");
    }
    if (code != SQLITE_OK) return Failure(code, "bind");
    ++index;
  }
  return OkStatus();
}

Status Database::QueryList(const char* sql, std::span<const Value> values,
                           const std::function<Status(Row&)>& row) {
  FERRY_ASSIGN_OR_RETURN(sqlite3_stmt * statement, Prepare(sql));
  if (refuses_writes_ && sqlite3_stmt_readonly(statement) == 0)
    return Status::Of(Code::kPermissionDenied, "database {}: a read would write", path_);
  Status status = Bind(statement, values);
  while (status.ok()) {
    const int code = sqlite3_step(statement);
    if (code == SQLITE_DONE) break;
    if (code != SQLITE_ROW) {
      status = Failure(code, std::string_view(sql).substr(0, 60));
      break;
    }
    SqliteRow current(statement);
    status = row(current);
  }
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  return status;
}

Status Database::CopyTo(const std::string& path,
                        const std::function<void(int64_t, int64_t)>& progress) {
  constexpr int kPagesAStep = 2048;
  FERRY_ASSIGN_OR_RETURN(const std::unique_ptr<Database> to, Open(path, Mode::kReadWrite));
  // An open view of the source: without it every write of others would make the copy begin anew.
  FERRY_TRY(Script("BEGIN; SELECT count(*) FROM sqlite_schema;"));
  sqlite3_backup* backup = sqlite3_backup_init(to->handle_, "main", handle_, "main");
  int code = backup != nullptr ? SQLITE_OK : sqlite3_extended_errcode(to->handle_);
  while (backup != nullptr && code == SQLITE_OK) {
    code = sqlite3_backup_step(backup, kPagesAStep);
    const int64_t all = sqlite3_backup_pagecount(backup);
    if (progress) progress(all - sqlite3_backup_remaining(backup), all);
  }
  const int finished = backup != nullptr ? sqlite3_backup_finish(backup) : code;
  FERRY_TRY(Script("COMMIT;"));
  // One file, without a log beside it; the store that opens it makes one again.
  if (code == SQLITE_DONE && finished == SQLITE_OK)
    return to->Script("PRAGMA journal_mode = DELETE;");
  return to->Failure(code == SQLITE_DONE ? finished : code, "copying " + path_);
}

int64_t Database::changes() const {
  return sqlite3_changes64(handle_);
}

Status Database::OverwriteDeleted(bool on) {
  return Script(on ? "PRAGMA secure_delete = ON" : "PRAGMA secure_delete = OFF");
}

}  // namespace ferry::server
