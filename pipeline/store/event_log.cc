#include "pipeline/store/event_log.h"

#include <algorithm>

namespace ferry::store {

using sqlite::Execute;
using sqlite::Statement;
using sqlite::Transact;
namespace {

int64_t Signed(uint64_t number) {
  return static_cast<int64_t>(number);
}

}  // namespace

Status EventLog::Load(sqlite3* db) {
  db_ = db;
  statements_ = std::make_unique<Statements>();
  Statements& s = *statements_;
  FERRY_TRY(s.add_run.Prepare(db, "INSERT OR REPLACE INTO run VALUES (?, ?, ?, ?)"));
  FERRY_TRY(
      s.find_run.Prepare(db, "SELECT result FROM run WHERE log = ? AND event = ? AND task = ?"));
  FERRY_TRY(s.remove_runs.Prepare(db, "DELETE FROM run WHERE log = ? AND event <= ?"));
  FERRY_TRY(s.save.Prepare(db, "UPDATE log SET position = ? WHERE id = ?"));
  FERRY_TRY(s.add_event.Prepare(db, "INSERT INTO spool(json) VALUES (?)"));
  FERRY_TRY(s.read_events.Prepare(
      db, "SELECT number, json FROM spool WHERE number > ? ORDER BY number LIMIT ?"));
  FERRY_TRY(s.remove_events.Prepare(db, "DELETE FROM spool WHERE number <= ?"));
  FERRY_TRY(
      s.count.Prepare(db,
                      "SELECT count(*), coalesce(sum(length(CAST(json AS BLOB))), 0) FROM spool "
                      "WHERE number <= ?"));
  s.count.Bind(1, INT64_MAX);
  FERRY_TRY(CountSpool(&spooled_next_, &spooled_bytes_next_));
  Settle(true);
  return OkStatus();
}

Status EventLog::CountSpool(int64_t* events, int64_t* bytes) {
  FERRY_ASSIGN_OR_RETURN(const bool row, statements_->count.Step());
  if (row) {
    *events = statements_->count.Int(0);
    *bytes = statements_->count.Int(1);
  }
  statements_->count.Reset();
  return OkStatus();
}

Status EventLog::OpenLog(const std::string& name) {
  Statement insert, select, runs;
  FERRY_TRY(insert.Prepare(db_, "INSERT OR IGNORE INTO log(name) VALUES (?)"));
  insert.Bind(1, name);
  FERRY_TRY(insert.Run());
  FERRY_TRY(select.Prepare(db_, "SELECT id, position, position IS NULL FROM log WHERE name = ?"));
  select.Bind(1, name);
  FERRY_ASSIGN_OR_RETURN(const bool row, select.Step());
  if (!row) return Status(Code::kInternal, "the outbox lost a log");
  log_ = select.Int(0);
  position_.reset();
  if (select.Int(2) == 0) position_ = static_cast<uint64_t>(select.Int(1));
  FERRY_TRY(runs.Prepare(db_, "SELECT coalesce(max(event), 0) FROM run WHERE log = ?"));
  runs.Bind(1, log_);
  FERRY_ASSIGN_OR_RETURN(const bool any, runs.Step());
  runs_to_ = any ? static_cast<uint64_t>(runs.Int(0)) : 0;
  spool_ = name == kSpoolLog;
  noted_.reset();
  return OkStatus();
}

Status EventLog::AddRun(const TaskRun& run) {
  if (run.event == 0 || log_ == 0) return OkStatus();
  Statement& add = statements_->add_run;
  add.Bind(1, log_);
  add.Bind(2, Signed(run.event));
  add.Bind(3, run.task);
  add.Bind(4, run.result);
  return add.Run();
}

void EventLog::Note(uint64_t number) {
  if (position_ && number <= *position_) return;
  noted_ = std::max(noted_.value_or(0), number);
}

Status EventLog::WritePosition() {
  if (!noted_ || log_ == 0) return OkStatus();
  Statements& s = *statements_;
  s.save.Bind(1, Signed(*noted_));
  s.save.Bind(2, log_);
  FERRY_TRY(s.save.Run());
  s.remove_runs.Bind(1, log_);
  s.remove_runs.Bind(2, Signed(*noted_));
  FERRY_TRY(s.remove_runs.Run());
  written_ = noted_;
  if (!spool_) return OkStatus();
  int64_t events = 0, bytes = 0;
  s.count.Bind(1, Signed(*noted_));
  FERRY_TRY(CountSpool(&events, &bytes));
  s.remove_events.Bind(1, Signed(*noted_));
  FERRY_TRY(s.remove_events.Run());
  spooled_next_ -= events;
  spooled_bytes_next_ -= bytes;
  return OkStatus();
}

Status EventLog::ResetLog(uint64_t number) {
  Statements& s = *statements_;
  s.save.Bind(1, Signed(number));
  s.save.Bind(2, log_);
  FERRY_TRY(s.save.Run());
  s.remove_runs.Bind(1, log_);
  s.remove_runs.Bind(2, INT64_MAX);
  noted_ = written_ = number;
  return s.remove_runs.Run();
}

Status EventLog::Clear() {
  spooled_next_ = spooled_bytes_next_ = 0;
  return Execute(db_, "DELETE FROM run; DELETE FROM spool");
}

Result<uint64_t> EventLog::Spool(const std::vector<std::string>& events) {
  for (const std::string& json : events) {
    statements_->add_event.Bind(1, json);
    FERRY_TRY(statements_->add_event.Run());
    ++spooled_next_;
    spooled_bytes_next_ += static_cast<int64_t>(json.size());
  }
  const auto last = static_cast<uint64_t>(sqlite3_last_insert_rowid(db_));
  return last + 1 - events.size();
}

void EventLog::Settle(bool committed) {
  if (committed) {
    spooled_ = spooled_next_;
    spooled_bytes_ = spooled_bytes_next_;
    if (written_) position_ = written_;
    if (noted_ == written_) noted_.reset();
  } else {
    spooled_next_ = spooled_;
    spooled_bytes_next_ = spooled_bytes_;
  }
  written_.reset();
}

Result<std::vector<KnownLog>> EventLog::Logs() const {
  Statement select;
  FERRY_TRY(select.Prepare(db_, "SELECT name, position, position IS NULL FROM log ORDER BY id"));
  std::vector<KnownLog> out;
  for (;;) {
    FERRY_ASSIGN_OR_RETURN(const bool row, select.Step());
    if (!row) return out;
    KnownLog& one = out.emplace_back(KnownLog{select.Text(0), std::nullopt});
    if (select.Int(2) == 0) one.position = static_cast<uint64_t>(select.Int(1));
  }
}

Result<std::optional<std::string>> EventLog::FindRun(uint64_t event, const std::string& task) {
  // Most events are above all that was done before this process.
  if (log_ == 0 || event > runs_to_) return std::optional<std::string>();
  Statement& find = statements_->find_run;
  find.Bind(1, log_);
  find.Bind(2, Signed(event));
  find.Bind(3, task);
  FERRY_ASSIGN_OR_RETURN(const bool row, find.Step());
  std::optional<std::string> result;
  if (row) result = find.Text(0);
  find.Reset();
  return result;
}

Result<std::vector<SpooledEvent>> EventLog::ReadSpool(uint64_t after, size_t max_events,
                                                      size_t max_bytes) {
  Statement& read = statements_->read_events;
  read.Bind(1, Signed(after));
  read.Bind(2, static_cast<int64_t>(std::min<size_t>(max_events, INT32_MAX)));
  std::vector<SpooledEvent> events;
  size_t bytes = 0;
  while (true) {
    FERRY_ASSIGN_OR_RETURN(const bool more, read.Step());
    if (!more) break;
    SpooledEvent event{static_cast<uint64_t>(read.Int(0)), read.Text(1)};
    bytes += event.json.size();
    if (bytes > max_bytes && !events.empty()) break;
    events.push_back(std::move(event));
  }
  read.Reset();
  return events;
}

}  // namespace ferry::store
