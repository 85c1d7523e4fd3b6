#include "pipeline/store/schema.h"

#include <array>

#include "pipeline/store/outbox.h"

namespace ferry::store {

using sqlite::Execute;
using sqlite::Statement;
using sqlite::Transact;
namespace {

// Told apart from other SQLite files by the application id, "FYob".
constexpr int64_t kApplicationId = 1182363490;
constexpr int kBusyMs = 5000;
constexpr std::string_view kInMemory = ":memory:";

// Each step brings a file of the version before it to its own.
constexpr const char* kSteps[] = {
    R"(
  PRAGMA application_id = 1182363490;
  CREATE TABLE record(seq INTEGER PRIMARY KEY, stream TEXT NOT NULL, time_ms INTEGER NOT NULL,
    json TEXT NOT NULL);
  CREATE TABLE state(one INTEGER PRIMARY KEY CHECK (one = 1), id BLOB NOT NULL,
    next_seq INTEGER NOT NULL, acked_seq INTEGER NOT NULL, waiting INTEGER NOT NULL,
    waiting_bytes INTEGER NOT NULL, refused INTEGER NOT NULL);
  PRAGMA user_version = 1;
)",
    // `source`: records with seq > base are of this outbox id, up to the next one's base. `log`:
    // where events come from. `run`: what was done of events above the log's position.
    R"(
  CREATE TABLE source(base INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE);
  INSERT INTO source SELECT 0, id FROM state WHERE waiting > 0;
  CREATE TABLE log(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, position INTEGER);
  CREATE TABLE run(log INTEGER NOT NULL, event INTEGER NOT NULL, task TEXT NOT NULL,
    result TEXT NOT NULL, PRIMARY KEY (log, event, task)) WITHOUT ROWID;
  CREATE TABLE spool(number INTEGER PRIMARY KEY AUTOINCREMENT, json TEXT NOT NULL);
  PRAGMA user_version = 2;
)",
    // `pair`: state of rules and operators.
    R"(
  CREATE TABLE pair(key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
  PRAGMA user_version = 3;
)",
    // Consent of who uses the device, and what was erased.
    R"(
  ALTER TABLE state ADD COLUMN consent INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE state ADD COLUMN withheld INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE erasure(one INTEGER PRIMARY KEY CHECK (one = 1), number INTEGER NOT NULL,
    asked_ms INTEGER NOT NULL, asked TEXT NOT NULL, device TEXT NOT NULL, cloud TEXT NOT NULL);
  PRAGMA user_version = 4;
)",
};
constexpr int64_t kVersion = std::size(kSteps);

Status ReadInt(sqlite3* db, std::string_view sql, int64_t* out) {
  Statement statement;
  FERRY_TRY(statement.Prepare(db, sql));
  FERRY_ASSIGN_OR_RETURN(const bool row, statement.Step());
  if (row) *out = statement.Int(0);
  return OkStatus();
}

// The version of the schema; 0 for an empty file.
Result<int64_t> CheckKind(sqlite3* db) {
  int64_t application = 0, version = 0, tables = 0;
  FERRY_TRY(ReadInt(db, "PRAGMA application_id", &application));
  FERRY_TRY(ReadInt(db, "PRAGMA user_version", &version));
  FERRY_TRY(ReadInt(db, "SELECT count(*) FROM sqlite_master", &tables));
  if (tables == 0) return 0;
  if (application != kApplicationId) return Status(Code::kMalformed, "the file is no outbox");
  if (version < 1 || version > kVersion)
    return Status::Of(Code::kUnsupported, "the outbox has version {}, known is {}", version,
                      kVersion);
  return version;
}

Status MakeState(sqlite3* db, sys::Random& random) {
  std::array<uint8_t, kOutboxIdBytes> id;
  random.Fill(id);
  Statement insert;
  FERRY_TRY(insert.Prepare(db,
                           "INSERT OR IGNORE INTO state(one, id, next_seq, acked_seq, waiting, "
                           "waiting_bytes, refused) VALUES (1, ?, 1, 0, 0, 0, 0)"));
  insert.BindBlob(1, id);
  return insert.Run();
}

// An outbox that lay plain is sealed from now on.
Status SealOutbox(const std::string& path, const crypto::Secret32& key) {
  sqlite3* db = nullptr;
  Status known = [&]() -> Status {
    FERRY_TRY(sqlite::OpenPrivate(path, &db));
    sqlite3_busy_timeout(db, kBusyMs);
    return CheckKind(db).status();
  }();
  sqlite3_close_v2(db);
  FERRY_TRY(known);
  return sqlite::SealFile(path, key).Context("sealing");
}

// Opens or makes the file.
Status OpenFile(const std::string& path, const std::optional<crypto::Secret32>& key,
                Database* out) {
  if (path == kInMemory) return sqlite::OpenPrivate(path, &out->db);
  FERRY_ASSIGN_OR_RETURN(const sqlite::FileKind kind, sqlite::KindOf(path));
  if (kind == sqlite::FileKind::kSealed) FERRY_TRY(sqlite::CheckKey(path, key));
  if (!key) return sqlite::OpenPrivate(path, &out->db);
  if (kind == sqlite::FileKind::kOther) return Status(Code::kMalformed, "the file is no outbox");
  if (kind == sqlite::FileKind::kPlain) FERRY_TRY(SealOutbox(path, *key));
  if (kind == sqlite::FileKind::kNew) FERRY_TRY(sqlite::MakeFile(path, *key));
  out->vfs = std::make_unique<sqlite::SealedVfs>(*key);
  FERRY_TRY(sqlite::OpenPrivate(path, &out->db, out->vfs->name()));
  return Execute(out->db, "PRAGMA temp_store = MEMORY");
}

}  // namespace

Status OpenDatabase(const std::string& path, sys::Random& random,
                    const std::optional<crypto::Secret32>& key, Database* out) {
  FERRY_TRY(OpenFile(path, key, out));
  sqlite3* db = out->db;
  sqlite3_busy_timeout(db, kBusyMs);
  FERRY_TRY(CheckKind(db));
  // WAL with FULL: the log is synced at every commit, so that a commit survives a power cut.
  FERRY_TRY(Execute(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"));
  return Transact(db, [&]() -> Status {
    FERRY_ASSIGN_OR_RETURN(const int64_t version, CheckKind(db));
    for (int64_t step = version; step < kVersion; ++step) FERRY_TRY(Execute(db, kSteps[step]));
    return MakeState(db, random);
  });
}

}  // namespace ferry::store
