#include "pipeline/store/outbox.h"

#include <array>
#include <mutex>

#include "common/base/buffers.h"
#include "pipeline/event/record.h"
#include "pipeline/store/sqlite.h"

namespace ferry::store {
namespace {

// Told apart from other SQLite files by the application id, "FYob".
constexpr const char* kSchema = R"(
  PRAGMA application_id = 1182363490;
  PRAGMA user_version = 1;
  CREATE TABLE IF NOT EXISTS record(seq INTEGER PRIMARY KEY, stream TEXT NOT NULL,
    time_ms INTEGER NOT NULL, json TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS state(one INTEGER PRIMARY KEY CHECK (one = 1), id BLOB NOT NULL,
    next_seq INTEGER NOT NULL, acked_seq INTEGER NOT NULL, waiting INTEGER NOT NULL,
    waiting_bytes INTEGER NOT NULL, refused INTEGER NOT NULL);
)";
constexpr int64_t kApplicationId = 1182363490;
constexpr int64_t kSchemaVersion = 1;
constexpr int kBusyMs = 5000;

int64_t SizeOf(const Record& record) {
  return static_cast<int64_t>(record.stream.size() + record.json.size());
}

class SqliteOutbox : public Outbox {
 public:
  explicit SqliteOutbox(const OutboxOptions& options) : options_(options) {}
  ~SqliteOutbox() override {
    statements_ = {};
    sqlite3_close_v2(db_);
  }

  Status Open(const std::string& path, sys::Random& random) {
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    const int code = sqlite3_open_v2(path.c_str(), &db_, flags, nullptr);
    if (code != SQLITE_OK) return SqliteStatus(db_, code, "opening");
    sqlite3_busy_timeout(db_, kBusyMs);
    FERRY_TRY(CheckKind());
    // WAL with FULL: the log is synced at every commit, so that a commit survives a power cut.
    FERRY_TRY(Execute(db_, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"));
    FERRY_TRY(Execute(db_, "BEGIN IMMEDIATE"));
    Status status = Execute(db_, kSchema);
    if (status.ok()) status = MakeState(random);
    FERRY_TRY(Finish(status));
    FERRY_TRY(PrepareAll());
    return LoadState();
  }

  Bytes id() const override { return id_; }

  Result<uint64_t> Append(const std::vector<Record>& records) override {
    const std::lock_guard lock(mutex_);
    const uint64_t first = stats_.next_seq;
    if (records.empty()) return first;
    OutboxStats next = stats_;
    for (const Record& record : records) {
      FERRY_TRY(event::CheckRecord(record.stream, record.json).Context("stream {}", record.stream));
      next.waiting_bytes += SizeOf(record);
    }
    next.next_seq += records.size();
    next.waiting += static_cast<int64_t>(records.size());
    if (next.waiting > options_.max_records || next.waiting_bytes > options_.max_bytes)
      return Refuse(records.size());
    FERRY_TRY(Execute(db_, "BEGIN IMMEDIATE"));
    Status status = Insert(records, first);
    if (status.ok()) status = SaveState(next);
    FERRY_TRY(Finish(status));
    stats_ = next;
    return first;
  }

  Result<Batch> Read(uint64_t from_seq, size_t max_records, size_t max_bytes) const override {
    const std::lock_guard lock(mutex_);
    Batch out;
    out.first_seq = std::max(from_seq, stats_.acked_seq + 1);
    if (out.first_seq >= stats_.next_seq) return out;
    max_bytes = BufferBytes(max_bytes);
    Statement& select = statements_->select;
    select.Bind(1, static_cast<int64_t>(out.first_seq));
    select.Bind(2, static_cast<int64_t>(std::min<size_t>(max_records, INT32_MAX)));
    size_t bytes = 0;
    while (true) {
      FERRY_ASSIGN_OR_RETURN(bool more, select.Step());
      if (!more) break;
      const uint64_t expected = out.first_seq + out.records.size();
      if (static_cast<uint64_t>(select.Int(0)) != expected) {
        select.Reset();
        return Status::Of(Code::kMalformed, "outbox: record {} is missing", expected);
      }
      Record record{select.Text(1), select.Int(2), select.Text(3)};
      bytes += static_cast<size_t>(SizeOf(record));
      if (bytes > max_bytes && !out.records.empty()) break;
      out.records.push_back(std::move(record));
    }
    select.Reset();
    return out;
  }

  Status Acknowledge(uint64_t up_to_seq) override {
    const std::lock_guard lock(mutex_);
    if (up_to_seq >= stats_.next_seq)
      return Status::Of(Code::kInvalidArgument, "record {} was never given; the last is {}",
                        up_to_seq, stats_.next_seq - 1);
    if (up_to_seq <= stats_.acked_seq) return OkStatus();
    OutboxStats next = stats_;
    next.acked_seq = up_to_seq;
    FERRY_TRY(Execute(db_, "BEGIN IMMEDIATE"));
    Status status = Delete(up_to_seq, &next);
    if (status.ok()) status = SaveState(next);
    FERRY_TRY(Finish(status));
    stats_ = next;
    return OkStatus();
  }

  OutboxStats stats() const override {
    const std::lock_guard lock(mutex_);
    return stats_;
  }

 private:
  struct Statements {
    Statement insert, select, weigh, remove, save;
  };

  // A file of someone else is left as it is.
  Status CheckKind() {
    int64_t application = 0, version = 0, tables = 0;
    FERRY_TRY(ReadInt("PRAGMA application_id", &application));
    FERRY_TRY(ReadInt("PRAGMA user_version", &version));
    FERRY_TRY(ReadInt("SELECT count(*) FROM sqlite_master", &tables));
    if (tables == 0) return OkStatus();
    if (application != kApplicationId) return Status(Code::kMalformed, "the file is no outbox");
    if (version > kSchemaVersion)
      return Status::Of(Code::kUnsupported, "the outbox has version {}, known is {}", version,
                        kSchemaVersion);
    return OkStatus();
  }

  Status ReadInt(std::string_view sql, int64_t* out) {
    Statement statement;
    FERRY_TRY(statement.Prepare(db_, sql));
    FERRY_ASSIGN_OR_RETURN(bool row, statement.Step());
    if (row) *out = statement.Int(0);
    return OkStatus();
  }

  Status MakeState(sys::Random& random) {
    std::array<uint8_t, kOutboxIdBytes> id;
    random.Fill(id);
    Statement insert;
    FERRY_TRY(insert.Prepare(db_, "INSERT OR IGNORE INTO state VALUES (1, ?, 1, 0, 0, 0, 0)"));
    insert.BindBlob(1, id);
    return insert.Run();
  }

  Status PrepareAll() {
    statements_ = std::make_unique<Statements>();
    FERRY_TRY(statements_->insert.Prepare(db_, "INSERT INTO record VALUES (?, ?, ?, ?)"));
    FERRY_TRY(statements_->select.Prepare(
        db_, "SELECT seq, stream, time_ms, json FROM record WHERE seq >= ? ORDER BY seq LIMIT ?"));
    FERRY_TRY(
        statements_->weigh.Prepare(db_,
                                   "SELECT count(*), coalesce(sum(length(CAST(stream AS BLOB)) + "
                                   "length(CAST(json AS BLOB))), 0) FROM record WHERE seq <= ?"));
    FERRY_TRY(statements_->remove.Prepare(db_, "DELETE FROM record WHERE seq <= ?"));
    return statements_->save.Prepare(
        db_,
        "UPDATE state SET next_seq = ?, acked_seq = ?, waiting = ?, waiting_bytes = ?, "
        "refused = ?");
  }

  Status LoadState() {
    Statement select;
    FERRY_TRY(select.Prepare(
        db_, "SELECT id, next_seq, acked_seq, waiting, waiting_bytes, refused FROM state"));
    FERRY_ASSIGN_OR_RETURN(bool row, select.Step());
    if (!row) return Status(Code::kMalformed, "the outbox has no state");
    id_ = ToBytes(select.Text(0));
    if (id_.size() != kOutboxIdBytes) return Status(Code::kMalformed, "the outbox has a bad id");
    stats_.next_seq = static_cast<uint64_t>(select.Int(1));
    stats_.acked_seq = static_cast<uint64_t>(select.Int(2));
    stats_.waiting = select.Int(3);
    stats_.waiting_bytes = select.Int(4);
    stats_.refused = select.Int(5);
    return OkStatus();
  }

  Status SaveState(const OutboxStats& next) {
    Statement& save = statements_->save;
    save.Bind(1, static_cast<int64_t>(next.next_seq));
    save.Bind(2, static_cast<int64_t>(next.acked_seq));
    save.Bind(3, next.waiting);
    save.Bind(4, next.waiting_bytes);
    save.Bind(5, next.refused);
    return save.Run();
  }

  Status Insert(const std::vector<Record>& records, uint64_t seq) {
    Statement& insert = statements_->insert;
    for (const Record& record : records) {
      insert.Bind(1, static_cast<int64_t>(seq++));
      insert.Bind(2, record.stream);
      insert.Bind(3, record.time_ms);
      insert.Bind(4, record.json);
      FERRY_TRY(insert.Run());
    }
    return OkStatus();
  }

  Status Delete(uint64_t up_to_seq, OutboxStats* next) {
    Statement& weigh = statements_->weigh;
    weigh.Bind(1, static_cast<int64_t>(up_to_seq));
    FERRY_ASSIGN_OR_RETURN(bool row, weigh.Step());
    if (row) {
      next->waiting -= weigh.Int(0);
      next->waiting_bytes -= weigh.Int(1);
    }
    weigh.Reset();
    statements_->remove.Bind(1, static_cast<int64_t>(up_to_seq));
    return statements_->remove.Run();
  }

  // Commits after success, else rolls back and passes the first error on.
  Status Finish(Status status) {
    if (status.ok()) status = Execute(db_, "COMMIT");
    if (!status.ok() && sqlite3_get_autocommit(db_) == 0)
      sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
    return status;
  }

  Status Refuse(size_t count) {
    OutboxStats next = stats_;
    next.refused += static_cast<int64_t>(count);
    if (SaveState(next).ok()) stats_ = next;  // only a counter: the answer is the same without it
    return Status::Of(Code::kLimitExceeded,
                      "the outbox is full: {} records of {}, {} bytes of {} wait", stats_.waiting,
                      options_.max_records, stats_.waiting_bytes, options_.max_bytes);
  }

  const OutboxOptions options_;
  mutable std::mutex mutex_;
  sqlite3* db_ = nullptr;
  std::unique_ptr<Statements> statements_;
  Bytes id_;
  OutboxStats stats_;
};

}  // namespace

Result<std::unique_ptr<Outbox>> OpenOutbox(const std::string& path, sys::Random& random,
                                           const OutboxOptions& options) {
  auto outbox = std::make_unique<SqliteOutbox>(options);
  FERRY_TRY(outbox->Open(path, random).Context("outbox {}", path));
  return std::unique_ptr<Outbox>(std::move(outbox));
}

}  // namespace ferry::store
