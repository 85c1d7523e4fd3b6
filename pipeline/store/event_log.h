// Which events of a log were worked off, which of their runs are committed, and the spool. Internal
// to the room; the caller locks and keeps transactions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/sqlite/sqlite.h"
#include "pipeline/store/outbox.h"

namespace ferry::store {

class EventLog {
 public:
  Status Load(sqlite3* db);

  // Inside a transaction.
  Status OpenLog(const std::string& name);
  Status AddRun(const TaskRun& run);
  Status WritePosition();
  Status ResetLog(uint64_t number);
  // All runs and spooled events go, of every log; the position stays.
  Status Clear();
  Result<uint64_t> Spool(const std::vector<std::string>& events);
  // After a commit, or after one that failed: what WritePosition and Spool wrote counts, or not.
  void Settle(bool committed);

  Result<std::vector<KnownLog>> Logs() const;
  Result<std::optional<std::string>> FindRun(uint64_t event, const std::string& task);
  Result<std::vector<SpooledEvent>> ReadSpool(uint64_t after, size_t max_events, size_t max_bytes);

  bool is_open() const { return log_ != 0; }
  std::optional<uint64_t> position() const { return position_; }
  void Note(uint64_t number);
  bool noted() const { return noted_.has_value(); }
  int64_t spooled() const { return spooled_; }
  int64_t spooled_bytes() const { return spooled_bytes_; }

 private:
  Status CountSpool(int64_t* events, int64_t* bytes);

  struct Statements {
    sqlite::Statement add_run, find_run, remove_runs, save, add_event, read_events, remove_events,
        count;
  };
  sqlite3* db_ = nullptr;
  std::unique_ptr<Statements> statements_;
  int64_t log_ = 0;
  bool spool_ = false;                // the open log is the spool
  std::optional<uint64_t> position_;  // on the disk
  std::optional<uint64_t> noted_;     // not yet there
  std::optional<uint64_t> written_;   // in the transaction that runs
  uint64_t runs_to_ = 0;              // no run of an event above this is there
  int64_t spooled_ = 0, spooled_bytes_ = 0;
  int64_t spooled_next_ = 0, spooled_bytes_next_ = 0;  // after the transaction that runs
};

}  // namespace ferry::store
