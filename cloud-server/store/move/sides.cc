#include "cloud-server/store/move/sides.h"

#include <chrono>
#include <thread>

#include "cloud-server/store/move/move.h"
#include "cloud-server/store/open.h"
#include "cloud-server/store/postgres/migrations.h"
#include "cloud-server/store/sqlite/migrations.h"
#include "common/sys/filesystem.h"

namespace ferry::server {
namespace {

// The other side may take its time, and who waits for the lock gives up as always.
constexpr const char* kPatient =
    "SET idle_in_transaction_session_timeout = 0; SET enable_seqscan = on";
// All that write take this lock in another mode (session.cc): nobody does beside a move.
constexpr const char* kHoldOthersOff = "LOCK TABLE cluster IN EXCLUSIVE MODE";
constexpr const char* kServers =
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND application_name = 'ferry-server' AND pid <> pg_backend_pid()";
constexpr const char* kLeases =
    "SELECT name, holder FROM lease WHERE until_ms > "
    "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) ORDER BY name LIMIT 1";

constexpr int kLooks = 10;
constexpr std::chrono::milliseconds kBetweenLooks{100};

std::string FreshFile(const std::string& place) {
  return place + ".moving";
}

Status RemoveFresh(const std::string& place) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  for (const char* end : {"", "-journal", "-wal", "-shm"}) {
    const Status removed = fs.Remove(FreshFile(place) + end);
    if (!removed.ok() && removed.code() != Code::kNotFound) return removed;
  }
  return OkStatus();
}

Status CheckSchema(const std::string& shown, int64_t found, int64_t own) {
  if (found == own) return OkStatus();
  return Status::Of(Code::kUnsupported, "{}: its schema is {}, this program's {}: {}", shown, found,
                    own,
                    found < own ? "start the server once, which brings it up to date"
                                : "a newer ferry-server wrote it");
}

Result<std::string> SettingOf(Connection& sql, const char* key) {
  std::string value;
  FERRY_TRY(sql.Query("SELECT value FROM setting WHERE key = ?1", {key}, [&](Row& row) {
    value = row.NextText();
    return OkStatus();
  }));
  return value;
}

Status PutSettingOf(Connection& sql, const char* key, const std::string& value) {
  return sql.Run(
      "INSERT INTO setting (key, value) VALUES (?1, ?2) "
      "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      {key, value});
}

Status LookForServers(Connection& sql, const std::string& shown) {
  Status serves;
  FERRY_TRY(sql.Query(kServers, {}, [&](Row& row) {
    if (const int64_t others = row.NextInt(); others > 0)
      serves = Status::Of(Code::kFailedPrecondition,
                          "{}: {} connections of ferry-server are open: stop all nodes first",
                          shown, others);
    return OkStatus();
  }));
  FERRY_TRY(serves);
  FERRY_TRY(sql.Query(kLeases, {}, [&](Row& row) {
    const std::string name = row.NextText();
    serves = Status::Of(Code::kFailedPrecondition,
                        "{}: the lease \"{}\" is held by {}: stop all nodes; one that was killed "
                        "lets it go within {} s",
                        shown, name, row.NextText(), kLeaseLifeMs / 1000);
    return OkStatus();
  }));
  return serves;
}

// The database hears a little later of connections that were closed.
Status CheckNobodyServes(Connection& sql, const std::string& shown) {
  for (int times = 1;; ++times) {
    const Status found = LookForServers(sql, shown);
    if (found.code() != Code::kFailedPrecondition || times == kLooks) return found;
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

// A source that is neither the beginning of a move nor what is left behind one.
Status CheckIsTruth(const MoveSide& side) {
  FERRY_ASSIGN_OR_RETURN(const std::string moved, SettingOf(*side.sql, kMovedSetting));
  if (!moved.empty())
    return Status::Of(Code::kFailedPrecondition, "{}: its rows were moved to {}", side.shown,
                      moved);
  FERRY_ASSIGN_OR_RETURN(const std::string moving, SettingOf(*side.sql, kMovingSetting));
  if (moving.empty()) return OkStatus();
  return Status::Of(Code::kFailedPrecondition, "{}: a move from {} to it did not end", side.shown,
                    moving);
}

}  // namespace

Result<MoveSide> OpenMoveSource(const std::string& place) {
  MoveSide side;
  FERRY_ASSIGN_OR_RETURN(side.shown, ShownPlace(place));
  if (IsPostgres(place)) {
    FERRY_ASSIGN_OR_RETURN(auto sql, PostgresConnection::Open(place));
    FERRY_ASSIGN_OR_RETURN(const int64_t schema, PostgresSchema(*sql));
    FERRY_TRY(CheckSchema(side.shown, schema, PostgresMigrations().back().number));
    FERRY_TRY(CheckNobodyServes(*sql, side.shown));
    FERRY_TRY(sql->Script(
        fmt::format("{}; BEGIN ISOLATION LEVEL REPEATABLE READ; {}", kPatient, kHoldOthersOff)));
    side.sql = std::move(sql);
  } else {
    FERRY_ASSIGN_OR_RETURN(auto sql, Database::Open(place, Database::Mode::kReadOnly));
    FERRY_TRY(sql->Script("BEGIN"));
    FERRY_ASSIGN_OR_RETURN(const int64_t schema, SchemaVersion(*sql));
    FERRY_TRY(CheckSchema(side.shown, schema, AllMigrations().back().number));
    side.sql = std::move(sql);
  }
  FERRY_TRY(CheckIsTruth(side));
  return side;
}

Result<MoveSide> OpenMoveView(const std::string& place) {
  MoveSide side;
  FERRY_ASSIGN_OR_RETURN(side.shown, ShownPlace(place));
  FERRY_ASSIGN_OR_RETURN(auto sql, PostgresConnection::Open(place));
  FERRY_ASSIGN_OR_RETURN(const int64_t schema, PostgresSchema(*sql));
  FERRY_TRY(CheckSchema(side.shown, schema, PostgresMigrations().back().number));
  FERRY_TRY(
      sql->Script(fmt::format("{}; BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", kPatient)));
  side.sql = std::move(sql);
  FERRY_TRY(CheckIsTruth(side));
  return side;
}

Result<MoveSide> OpenMoveTarget(const std::string& place, const std::string& from) {
  MoveSide side;
  FERRY_ASSIGN_OR_RETURN(side.shown, ShownPlace(place));
  if (IsPostgres(place)) {
    FERRY_ASSIGN_OR_RETURN(auto sql, PostgresConnection::Open(place));
    FERRY_TRY(MigratePostgres(*sql).Context("{}", side.shown));
    FERRY_TRY(CheckNobodyServes(*sql, side.shown));
    FERRY_TRY(sql->Script(fmt::format("{}; BEGIN; {}", kPatient, kHoldOthersOff)));
    side.sql = std::move(sql);
    return side;
  }
  sys::FileSystem& fs = sys::SystemFileSystem();
  FERRY_TRY(RemoveFresh(place));
  // SQLite would let everyone read it.
  FERRY_ASSIGN_OR_RETURN(
      const auto file,
      fs.OpenForWrite(FreshFile(place), sys::WriteMode::kMustBeNew, sys::kPrivateFile));
  FERRY_TRY(file->Close());
  FERRY_ASSIGN_OR_RETURN(auto sql, Database::Open(FreshFile(place), Database::Mode::kReadWrite));
  // It counts from its renaming on, before which it is synced.
  FERRY_TRY(
      sql->Script("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = MEMORY; "
                  "PRAGMA synchronous = OFF;"));
  FERRY_TRY(Migrate(*sql));
  FERRY_TRY(PutSettingOf(*sql, kMovingSetting, from));
  FERRY_TRY(sql->Script("BEGIN IMMEDIATE"));
  side.sql = std::move(sql);
  return side;
}

Status NoteMoveBegun(MoveSide& target, const std::string& from) {
  if (target.sql->dialect() == Connection::Dialect::kSqlite) return OkStatus();
  FERRY_TRY(PutSettingOf(*target.sql, kMovingSetting, from));
  return target.sql->Script(fmt::format("COMMIT; BEGIN; {}", kHoldOthersOff));
}

Result<bool> HasNoRows(MoveSide& side, const std::vector<MoveTable>& tables,
                       std::string* with_rows) {
  for (const MoveTable& table : tables) {
    std::string seeds;
    if (table.name == "account") seeds = " WHERE NOT (name = 'admin' AND password = '')";
    if (table.name == "generation") seeds = " WHERE value > 1";
    if (table.name == "setting") seeds = fmt::format(" WHERE key <> '{}'", kMovingSetting);
    bool found = false;
    FERRY_TRY(side.sql->Query(
        side.statements->Keep(fmt::format("SELECT 1 FROM {}{} LIMIT 1", Quoted(table.name), seeds)),
        {}, [&](Row&) {
          found = true;
          return OkStatus();
        }));
    if (!found) continue;
    *with_rows = table.name;
    return false;
  }
  return true;
}

Status CommitTarget(MoveSide& side, const std::string& place) {
  FERRY_TRY(side.sql->Script("COMMIT"));
  if (side.sql->dialect() == Connection::Dialect::kPostgres) return OkStatus();
  side.sql.reset();
  sys::FileSystem& fs = sys::SystemFileSystem();
  FERRY_ASSIGN_OR_RETURN(const auto file,
                         fs.OpenForWrite(FreshFile(place), sys::WriteMode::kAppend));
  FERRY_TRY(file->Sync());
  FERRY_TRY(file->Close());
  FERRY_TRY(fs.Rename(FreshFile(place), place));
  return fs.SyncDirectory(sys::ParentPath(place));
}

void DropTarget(MoveSide& side, const std::string& place) {
  if (side.sql == nullptr) return;
  const bool is_file = side.sql->dialect() == Connection::Dialect::kSqlite;
  side.sql.reset();  // its transaction is undone
  if (is_file) (void)RemoveFresh(place);
}

bool FileIsThere(const std::string& place) {
  const auto info = sys::SystemFileSystem().Stat(place);
  return info.ok() && info->size > 0;
}

Result<MoveSide> OpenExistingFile(const std::string& place) {
  MoveSide side;
  side.shown = place;
  FERRY_ASSIGN_OR_RETURN(auto sql, Database::Open(place, Database::Mode::kReadOnly));
  FERRY_TRY(sql->Script("BEGIN"));
  side.sql = std::move(sql);
  return side;
}

Status MarkMoved(MoveSide& source, const std::string& to) {
  if (source.sql->dialect() == Connection::Dialect::kSqlite) return OkStatus();
  FERRY_TRY(PutSettingOf(*source.sql, kMovedSetting, to));
  return source.sql->Script("COMMIT");
}

}  // namespace ferry::server
