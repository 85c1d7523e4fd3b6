#include "cloud-server/store/sqlite/sqlite_store.h"

#include <mutex>
#include <vector>

#include "cloud-server/store/sql/repositories.h"
#include "cloud-server/store/sqlite/database.h"
#include "cloud-server/store/sqlite/migrations.h"
#include "common/base/log.h"
#include "common/sys/filesystem.h"

namespace ferry::server {
namespace {

constexpr size_t kMaxIdleReaders = 8;
constexpr int64_t kMaxLogBytes = 64 << 20;
// Pages of the log after which they are written to the database: a group of reports changes some
// thousand, many of them those of the group before, which then are written there once.
constexpr int64_t kCheckpointPages = 4096;
constexpr int64_t kWriterCacheKib = 32 << 10;

Result<int64_t> ReadPragma(Database& database, const char* pragma) {
  int64_t number = 0;
  FERRY_TRY(database.Query(pragma, {}, [&](Row& row) {
    number = row.NextInt();
    return OkStatus();
  }));
  return number;
}

// A connection with its repositories.
class SqliteSession {
 public:
  explicit SqliteSession(std::unique_ptr<Database> database)
      : database_(std::move(database)), transaction_(MakeTransaction(*database_)) {}
  Database& database() { return *database_; }

  Status RunBody(const Store::Body& body, const char* begin) {
    FERRY_TRY(database_->Run(begin, {}));
    Status status = body(*transaction_);
    if (status.ok()) status = database_->Run("COMMIT;", {});
    if (!status.ok()) {
      // Fails only when SQLite has rolled back by itself (disk full): then there is nothing to do.
      Status ignored = database_->Run("ROLLBACK;", {});
    }
    return status;
  }

 private:
  std::unique_ptr<Database> database_;
  std::unique_ptr<Transaction> transaction_;
};

class SqliteStore : public Store {
 public:
  SqliteStore(std::string path, bool is_alone, std::unique_ptr<SqliteSession> writer)
      : path_(std::move(path)), is_alone_(is_alone), writer_(std::move(writer)) {}

  Status Write(const Body& body) override {
    std::lock_guard lock(writer_mutex_);
    Status status;
    bool audited = false;
    const Body with_audit = [&](Transaction& tx) -> Status {
      FERRY_TRY(LeaseScope::Check(tx));
      FERRY_TRY(body(tx));
      FERRY_ASSIGN_OR_RETURN(audited, AuditScope::TakePart(tx));
      return OkStatus();
    };
    for (int attempt = 0; attempt < kMaxConflictRepeats; ++attempt) {
      status = writer_->RunBody(with_audit, "BEGIN IMMEDIATE;");
      if (status.code() != Code::kConflict) break;
    }
    if (status.ok() && audited) AuditScope::Committed();
    return status;
  }

  Status Read(const Body& body) override {
    if (is_alone_) {
      std::lock_guard lock(writer_mutex_);
      // Not by PRAGMA query_only, which has every statement prepared anew.
      writer_->database().RefuseWrites(true);
      Status status = writer_->RunBody(body, "BEGIN;");
      writer_->database().RefuseWrites(false);
      return status;
    }
    FERRY_ASSIGN_OR_RETURN(std::unique_ptr<SqliteSession> reader, TakeReader());
    Status status = reader->RunBody(body, "BEGIN;");
    std::lock_guard lock(readers_mutex_);
    if (readers_.size() < kMaxIdleReaders) readers_.push_back(std::move(reader));
    return status;
  }

  int64_t schema_version() override {
    std::lock_guard lock(writer_mutex_);
    Result<int64_t> version = SchemaVersion(writer_->database());
    return version.ok() ? *version : 0;
  }

  Result<StoreSizes> Sizes() override {
    StoreSizes sizes;
    std::lock_guard lock(writer_mutex_);
    Database& database = writer_->database();
    FERRY_ASSIGN_OR_RETURN(const int64_t page_bytes, ReadPragma(database, "PRAGMA page_size"));
    FERRY_ASSIGN_OR_RETURN(const int64_t pages, ReadPragma(database, "PRAGMA page_count"));
    FERRY_ASSIGN_OR_RETURN(const int64_t free, ReadPragma(database, "PRAGMA freelist_count"));
    sizes.database = pages * page_bytes;
    sizes.free = free * page_bytes;
    if (is_alone_) return sizes;
    const Result<sys::FileInfo> log = sys::SystemFileSystem().Stat(path_ + "-wal");
    if (log.ok()) sizes.log = static_cast<int64_t>(log->size);
    return sizes;
  }

  Status Shrink(int64_t bytes) override {
    std::lock_guard lock(writer_mutex_);
    Database& database = writer_->database();
    FERRY_ASSIGN_OR_RETURN(const int64_t page_bytes, ReadPragma(database, "PRAGMA page_size"));
    return database.Script(fmt::format("PRAGMA incremental_vacuum({});", bytes / page_bytes + 1));
  }

 private:
  Result<std::unique_ptr<SqliteSession>> TakeReader() {
    {
      std::lock_guard lock(readers_mutex_);
      if (!readers_.empty()) {
        std::unique_ptr<SqliteSession> reader = std::move(readers_.back());
        readers_.pop_back();
        return reader;
      }
    }
    FERRY_ASSIGN_OR_RETURN(std::unique_ptr<Database> database,
                           Database::Open(path_, Database::Mode::kReadOnly));
    return std::make_unique<SqliteSession>(std::move(database));
  }

  const std::string path_;
  const bool is_alone_;
  std::mutex writer_mutex_;
  std::unique_ptr<SqliteSession> writer_;
  std::mutex readers_mutex_;
  std::vector<std::unique_ptr<SqliteSession>> readers_;  // idle ones
};

Result<std::unique_ptr<Store>> Make(const std::string& path, Database::Mode mode,
                                    const char* vfs = nullptr,
                                    int64_t checkpoint_pages = kCheckpointPages) {
  FERRY_ASSIGN_OR_RETURN(std::unique_ptr<Database> database, Database::Open(path, mode, vfs));
  if (mode != Database::Mode::kMemory)
    // auto_vacuum counts for a database without tables only. FULL: what a device was told is stored
    // must survive a power cut. A long transaction leaves a long log, which is cut to the limit.
    FERRY_TRY(
        database->Script(fmt::format("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; "
                                     "PRAGMA synchronous = FULL; PRAGMA journal_size_limit = {}; "
                                     "PRAGMA wal_autocheckpoint = {}; PRAGMA cache_size = -{};",
                                     kMaxLogBytes, checkpoint_pages, kWriterCacheKib)));
  FERRY_TRY(Migrate(*database).Context("database {}", path));
  auto writer = std::make_unique<SqliteSession>(std::move(database));
  const bool is_alone = mode != Database::Mode::kReadWrite;
  return std::make_unique<SqliteStore>(path, is_alone, std::move(writer));
}

}  // namespace

Result<std::unique_ptr<Store>> OpenSqliteStore(const std::string& path) {
  return Make(path, Database::Mode::kReadWrite);
}

Result<std::unique_ptr<Store>> OpenSimulatedStore(const char* vfs) {
  // Small, so that the log is carried into the database often.
  constexpr int64_t kSimulatedCheckpointPages = 100;
  return Make("simulated.db", Database::Mode::kAlone, vfs, kSimulatedCheckpointPages);
}

Result<std::unique_ptr<Store>> OpenMemoryStore() {
  return Make("in memory", Database::Mode::kMemory);
}

}  // namespace ferry::server
