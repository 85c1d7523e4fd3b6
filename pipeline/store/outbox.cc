#include "pipeline/store/outbox.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <mutex>

#include "common/base/buffers.h"
#include "pipeline/event/record.h"
#include "pipeline/store/event_log.h"
#include "pipeline/store/pairs.h"
#include "pipeline/store/schema.h"
#include "pipeline/store/sources.h"

namespace ferry::store {

using sqlite::Execute;
using sqlite::Statement;
using sqlite::Transact;
namespace {

int64_t SizeOf(const Record& record) {
  return static_cast<int64_t>(record.stream.size() + record.json.size());
}

// Those that no server takes.
std::vector<RefusedRecord> FindUnfit(const std::vector<Record>& records) {
  std::vector<RefusedRecord> unfit;
  for (size_t k = 0; k < records.size(); ++k) {
    Status status = event::CheckRecord(records[k].stream, records[k].json)
                        .Context("stream {}", records[k].stream);
    if (!status.ok()) unfit.push_back({k, std::move(status)});
  }
  return unfit;
}

// The others, in order.
std::vector<const Record*> Fitting(const std::vector<Record>& records,
                                   const std::vector<RefusedRecord>& unfit) {
  std::vector<const Record*> fitting;
  auto next = unfit.begin();
  for (size_t k = 0; k < records.size(); ++k) {
    if (next != unfit.end() && next->at == k)
      ++next;
    else
      fitting.push_back(&records[k]);
  }
  return fitting;
}

class SqliteOutbox : public Outbox {
 public:
  explicit SqliteOutbox(const OutboxOptions& options) : options_(options) {}
  ~SqliteOutbox() override {
    statements_ = {};
    log_ = {};
    pairs_ = {};
    tables_.reset();
    sqlite3_close_v2(db_);
  }

  Status Open(const std::string& path, sys::Random& random) {
    const Status opened = OpenDatabase(path, random, options_.key, &database_);
    db_ = database_.db;
    FERRY_TRY(opened);
    Bytes fresh(kOutboxIdBytes);
    random.Fill(fresh);
    FERRY_TRY(sources_.Load(db_, std::move(fresh)));
    FERRY_TRY(log_.Load(db_));
    FERRY_TRY(pairs_.Load(db_));
    FERRY_TRY(tables_->Load(db_, &mutex_));
    FERRY_TRY(erasures_.Load(db_));
    FERRY_TRY(PrepareAll());
    return LoadCounts();
  }

  Bytes id() const override { return sources_.fresh(); }

  using Outbox::Commit;

  Result<uint64_t> Append(const std::vector<Record>& records,
                          std::vector<RefusedRecord>* refused) override {
    const std::lock_guard lock(mutex_);
    const uint64_t first = stats_.next_seq;
    if (!stats_.consent) {
      OutboxStats next = stats_;
      next.withheld += static_cast<int64_t>(records.size());
      FERRY_TRY(Change(next, [] { return OkStatus(); }));
      return first;
    }
    std::vector<RefusedRecord> unfit = FindUnfit(records);
    NoteUnfit(unfit);
    const std::vector<const Record*> fitting = Fitting(records, unfit);
    const Status why = unfit.empty() ? OkStatus() : unfit[0].why;
    if (refused != nullptr) *refused = std::move(unfit);
    if (fitting.empty()) return why.ok() ? Result<uint64_t>(first) : Result<uint64_t>(why);
    OutboxStats next = stats_;
    Status full = Take(fitting, &next);
    if (!full.ok()) {
      if (SaveCounts(next).ok()) stats_ = next;  // a counter: the answer is the same without it
      return full;
    }
    FERRY_TRY(Change(next, [&] { return Insert(fitting, first); }));
    return first;
  }

  Status Commit(const Changes& changes) override {
    const std::lock_guard lock(mutex_);
    OutboxStats next = stats_;
    std::vector<std::vector<const Record*>> taken;  // of each run
    for (TaskRun* run : changes.runs) {
      run->withheld = !stats_.consent;
      if (run->withheld) {
        next.withheld += static_cast<int64_t>(run->records.size());
        taken.emplace_back();
        continue;
      }
      run->refused_records = FindUnfit(run->records);
      NoteUnfit(run->refused_records);
      taken.push_back(Fitting(run->records, run->refused_records));
      run->refused = Take(taken.back(), &next);
      if (!run->refused.ok()) taken.back().clear();
      if (run->refused.ok() && !run->refused_records.empty())
        run->refused = run->refused_records[0].why;
    }
    if (changes.position) log_.Note(*changes.position);
    return Change(next, [&]() -> Status {
      uint64_t seq = stats_.next_seq;
      for (size_t k = 0; k < taken.size(); ++k) {
        FERRY_TRY(Insert(taken[k], seq));
        seq += taken[k].size();
        FERRY_TRY(log_.AddRun(*changes.runs[k]));
      }
      if (changes.state != nullptr) FERRY_TRY(pairs_.Write(*changes.state));
      FERRY_TRY(tables_->Apply(changes.tables, changes.now_ms));
      return log_.WritePosition();
    });
  }

  Result<std::vector<StatePair>> LoadState(std::string_view prefix) const override {
    const std::lock_guard lock(mutex_);
    return pairs_.Read(prefix);
  }

  table::Tables& tables() override { return *tables_; }

  Result<Batch> Read(uint64_t from_seq, size_t max_records, size_t max_bytes) const override {
    const std::lock_guard lock(mutex_);
    Batch out;
    out.first_seq = std::max(from_seq, stats_.acked_seq + 1);
    if (out.first_seq >= stats_.next_seq) return out;
    const Sources::Source* source = sources_.Find(out.first_seq);
    if (source == nullptr)
      return Status::Of(Code::kMalformed, "outbox: record {} has no id", out.first_seq);
    out.outbox_id = source->id;
    out.base = source->base;
    const uint64_t most =
        std::min<uint64_t>(max_records, sources_.LastOf(*source) - out.first_seq + 1);
    FERRY_TRY(Select(most, BufferBytes(max_bytes), &out));
    return out;
  }

  Result<uint64_t> SeqOf(ByteView outbox_id, uint64_t number) const override {
    const std::lock_guard lock(mutex_);
    const Sources::Source* source = sources_.Find(outbox_id);
    if (source == nullptr) return Status(Code::kNotFound, "no record waits under this outbox id");
    const uint64_t last = std::min(sources_.LastOf(*source), stats_.next_seq - 1) - source->base;
    if (number > last)
      return Status::Of(Code::kInvalidArgument, "record {} of an outbox of {}", number, last);
    return source->base + number;
  }

  Status Acknowledge(uint64_t up_to_seq) override {
    const std::lock_guard lock(mutex_);
    if (up_to_seq >= stats_.next_seq)
      return Status::Of(Code::kInvalidArgument, "record {} was never given; the last is {}",
                        up_to_seq, stats_.next_seq - 1);
    if (up_to_seq <= stats_.acked_seq) return OkStatus();
    OutboxStats next = stats_;
    next.acked_seq = up_to_seq;
    FERRY_TRY(Transact(db_, [&]() -> Status {
      FERRY_TRY(Delete(up_to_seq, &next));
      FERRY_TRY(sources_.Forget(up_to_seq));
      return SaveCounts(next);
    }));
    sources_.Forgot(up_to_seq);
    stats_ = next;
    return OkStatus();
  }

  OutboxStats stats() const override {
    const std::lock_guard lock(mutex_);
    OutboxStats stats = stats_;
    stats.spooled = log_.spooled();
    stats.spooled_bytes = log_.spooled_bytes();
    stats.state_pairs = pairs_.pairs();
    stats.state_bytes = pairs_.bytes();
    stats.table_bytes = tables_->bytes();
    stats.unfit = unfit_;
    stats.last_unfit = last_unfit_;
    return stats;
  }

  Status SetConsent(bool given) override {
    const std::lock_guard lock(mutex_);
    if (given == stats_.consent) return OkStatus();
    OutboxStats next = stats_;
    next.consent = given;
    if (given) return Change(next, [] { return OkStatus(); });
    next.withheld += next.waiting;
    FERRY_TRY(DropRecords(next, [] { return OkStatus(); }));
    return WipeFile(db_);
  }

  Result<uint64_t> BeginErase(const std::string& asked, int64_t now_ms) override {
    const std::lock_guard lock(mutex_);
    Erasure erasure;
    erasure.number = erasures_.last().number + 1;
    erasure.asked_ms = now_ms;
    erasure.asked = asked;
    FERRY_TRY(Save(erasure));
    return erasure.number;
  }

  Result<ErasedCounts> Erase(uint64_t position) override {
    const std::lock_guard lock(mutex_);
    ErasedCounts counts;
    counts.records = stats_.waiting;
    counts.state_pairs = pairs_.pairs();
    counts.bytes = stats_.waiting_bytes + pairs_.bytes() + tables_->bytes();
    FERRY_TRY(DropRecords(stats_, [&]() -> Status {
      FERRY_TRY(log_.Clear());
      if (log_.is_open()) FERRY_TRY(log_.ResetLog(std::max(position, log_.position().value_or(0))));
      FERRY_TRY(pairs_.Clear(db_));
      FERRY_ASSIGN_OR_RETURN(counts.table_rows, tables_->ClearAll());
      return OkStatus();
    }));
    FERRY_TRY(WipeFile(db_));
    return counts;
  }

  Status NoteErased(uint64_t number, const std::string& device, const std::string& cloud) override {
    const std::lock_guard lock(mutex_);
    Erasure erasure = erasures_.last();
    if (erasure.number != number) return Status::Of(Code::kNotFound, "no erasure {}", number);
    if (!device.empty()) erasure.device = device;
    if (!cloud.empty()) erasure.cloud = cloud;
    return Save(erasure);
  }

  Erasure last_erasure() const override {
    const std::lock_guard lock(mutex_);
    return erasures_.last();
  }

  std::optional<uint64_t> position() const override {
    const std::lock_guard lock(mutex_);
    return log_.position();
  }

  Result<std::optional<uint64_t>> OpenLog(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    FERRY_TRY(Transact(db_, [&] { return log_.OpenLog(name); }));
    return log_.position();
  }

  Result<std::vector<KnownLog>> Logs() const override {
    const std::lock_guard lock(mutex_);
    return log_.Logs();
  }

  Result<std::optional<std::string>> FindRun(uint64_t event, const std::string& task) override {
    const std::lock_guard lock(mutex_);
    return log_.FindRun(event, task);
  }

  void NotePosition(uint64_t number) override {
    const std::lock_guard lock(mutex_);
    log_.Note(number);
  }

  Status SavePosition() override {
    const std::lock_guard lock(mutex_);
    if (!log_.noted()) return OkStatus();
    return Change(stats_, [&] { return log_.WritePosition(); });
  }

  Status ResetLog(uint64_t number) override {
    const std::lock_guard lock(mutex_);
    return Change(stats_, [&] { return log_.ResetLog(number); });
  }

  Result<uint64_t> Spool(const std::vector<std::string>& events) override {
    const std::lock_guard lock(mutex_);
    int64_t bytes = log_.spooled_bytes();
    for (const std::string& json : events) bytes += static_cast<int64_t>(json.size());
    const int64_t count = log_.spooled() + static_cast<int64_t>(events.size());
    if (count > options_.max_spooled || bytes > options_.max_spooled_bytes)
      return Status::Of(Code::kLimitExceeded,
                        "the spool is full: {} events of {}, {} bytes of {} wait", log_.spooled(),
                        options_.max_spooled, log_.spooled_bytes(), options_.max_spooled_bytes);
    Result<uint64_t> first = uint64_t{0};
    FERRY_TRY(Change(stats_, [&] {
      first = log_.Spool(events);
      return first.status();
    }));
    return first;
  }

  Result<std::vector<SpooledEvent>> ReadSpool(uint64_t after, size_t max_events,
                                              size_t max_bytes) const override {
    const std::lock_guard lock(mutex_);
    return log_.ReadSpool(after, max_events, max_bytes);
  }

 private:
  void NoteUnfit(const std::vector<RefusedRecord>& unfit) {
    unfit_ += static_cast<int64_t>(unfit.size());
    if (!unfit.empty()) last_unfit_ = unfit.back().why.ToString();
  }

  struct Statements {
    Statement insert, select, weigh, remove, save;
  };

  // Counts the records as taken; kLimitExceeded, with them counted as refused, when they do not
  // fit.
  Status Take(const std::vector<const Record*>& records, OutboxStats* next) const {
    const auto count = static_cast<int64_t>(records.size());
    int64_t bytes = next->waiting_bytes;
    for (const Record* record : records) bytes += SizeOf(*record);
    if (count > 0 && (next->waiting + count > options_.max_records || bytes > options_.max_bytes)) {
      next->refused += count;
      return Status::Of(Code::kLimitExceeded,
                        "the outbox is full: {} records of {}, {} bytes of {} wait", next->waiting,
                        options_.max_records, next->waiting_bytes, options_.max_bytes);
    }
    next->next_seq += records.size();
    next->waiting += count;
    next->waiting_bytes = bytes;
    return OkStatus();
  }

  // Runs `body` and writes `next` in one transaction; with the first new record the fresh id.
  template <typename Body>
  Status Change(const OutboxStats& next, Body body) {
    const uint64_t base = stats_.next_seq - 1;
    const bool begins = next.next_seq > stats_.next_seq && !sources_.has_fresh();
    const Status status = Transact(db_, [&]() -> Status {
      if (begins) FERRY_TRY(sources_.Begin(base));
      FERRY_TRY(body());
      return SaveCounts(next);
    });
    log_.Settle(status.ok());
    pairs_.Settle(status.ok());
    tables_->Settle(status.ok());
    if (!status.ok()) return status;
    if (begins) sources_.Begun(base);
    stats_ = next;
    return OkStatus();
  }

  // All records that wait go, with what `body` removes; `next` is what counts then but for them.
  template <typename Body>
  Status DropRecords(OutboxStats next, Body body) {
    next.acked_seq = next.next_seq - 1;
    next.waiting = next.waiting_bytes = 0;
    // What is deleted is overwritten, in the file and in its log.
    FERRY_TRY(Execute(db_, "PRAGMA secure_delete = ON"));
    const Status dropped = Change(next, [&]() -> Status {
      FERRY_TRY(Execute(db_, "DELETE FROM record"));
      FERRY_TRY(sources_.ForgetAll());
      return body();
    });
    FERRY_TRY(Execute(db_, "PRAGMA secure_delete = OFF"));
    FERRY_TRY(dropped);
    Bytes fresh(kOutboxIdBytes);
    sys::SystemRandom().Fill(fresh);
    sources_.ForgotAll(std::move(fresh));
    return OkStatus();
  }

  Status Save(const Erasure& erasure) {
    FERRY_TRY(Transact(db_, [&] { return erasures_.Write(erasure); }));
    erasures_.Wrote(erasure);
    return OkStatus();
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
        "refused = ?, consent = ?, withheld = ?");
  }

  Status LoadCounts() {
    Statement select;
    FERRY_TRY(select.Prepare(
        db_,
        "SELECT next_seq, acked_seq, waiting, waiting_bytes, refused, consent, withheld "
        "FROM state"));
    FERRY_ASSIGN_OR_RETURN(bool row, select.Step());
    if (!row) return Status(Code::kMalformed, "the outbox has no state");
    stats_.next_seq = static_cast<uint64_t>(select.Int(0));
    stats_.acked_seq = static_cast<uint64_t>(select.Int(1));
    stats_.waiting = select.Int(2);
    stats_.waiting_bytes = select.Int(3);
    stats_.refused = select.Int(4);
    stats_.consent = select.Int(5) != 0;
    stats_.withheld = select.Int(6);
    return OkStatus();
  }

  Status SaveCounts(const OutboxStats& next) {
    Statement& save = statements_->save;
    save.Bind(1, static_cast<int64_t>(next.next_seq));
    save.Bind(2, static_cast<int64_t>(next.acked_seq));
    save.Bind(3, next.waiting);
    save.Bind(4, next.waiting_bytes);
    save.Bind(5, next.refused);
    save.Bind(6, next.consent ? 1 : 0);
    save.Bind(7, next.withheld);
    return save.Run();
  }

  Status Insert(const std::vector<const Record*>& records, uint64_t seq) {
    Statement& insert = statements_->insert;
    for (const Record* record : records) {
      insert.Bind(1, static_cast<int64_t>(seq++));
      insert.Bind(2, record->stream);
      insert.Bind(3, record->time_ms);
      insert.Bind(4, record->json);
      FERRY_TRY(insert.Run());
    }
    return OkStatus();
  }

  Status Select(uint64_t max_records, size_t max_bytes, Batch* out) const {
    Statement& select = statements_->select;
    select.Bind(1, static_cast<int64_t>(out->first_seq));
    select.Bind(2, static_cast<int64_t>(std::min<uint64_t>(max_records, INT32_MAX)));
    size_t bytes = 0;
    while (true) {
      FERRY_ASSIGN_OR_RETURN(bool more, select.Step());
      if (!more) break;
      const uint64_t expected = out->first_seq + out->records.size();
      if (static_cast<uint64_t>(select.Int(0)) != expected) {
        select.Reset();
        return Status::Of(Code::kMalformed, "outbox: record {} is missing", expected);
      }
      Record record{select.Text(1), select.Int(2), select.Text(3)};
      bytes += static_cast<size_t>(SizeOf(record));
      if (bytes > max_bytes && !out->records.empty()) break;
      out->records.push_back(std::move(record));
    }
    select.Reset();
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

  const OutboxOptions options_;
  // Tables lock it too.
  mutable std::recursive_mutex mutex_;
  Database database_;
  sqlite3* db_ = nullptr;  // of it
  std::unique_ptr<Statements> statements_;
  Sources sources_;
  mutable EventLog log_;
  mutable Pairs pairs_;
  Erasures erasures_;
  std::unique_ptr<table::Tables> tables_ = std::make_unique<table::Tables>();
  OutboxStats stats_;
  int64_t unfit_ = 0;
  std::string last_unfit_;
};

}  // namespace

Result<std::unique_ptr<Outbox>> OpenOutbox(const std::string& path, sys::Random& random,
                                           const OutboxOptions& options) {
  auto outbox = std::make_unique<SqliteOutbox>(options);
  Status opened = outbox->Open(path, random);
  if (opened.code() == Code::kWrongKey && options.forget_sealed) {
    for (const char* ending : {"-wal", "-shm", ""}) std::remove((path + ending).c_str());
    outbox = std::make_unique<SqliteOutbox>(options);
    opened = outbox->Open(path, random);
  }
  FERRY_TRY(opened.Context("outbox {}", path));
  return std::unique_ptr<Outbox>(std::move(outbox));
}

}  // namespace ferry::store
