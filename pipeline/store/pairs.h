// State of rules and operators in the outbox's file. Internal to the room; the caller locks and
// keeps transactions.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "pipeline/sqlite/sqlite.h"
#include "pipeline/store/state.h"

namespace ferry::store {

class Pairs {
 public:
  Status Load(sqlite3* db);
  // Inside a transaction; Settle says how it ended.
  Status Write(const StateChanges& changes);
  // As Write, of all there is.
  Status Clear(sqlite3* db);
  void Settle(bool committed);
  Result<std::vector<StatePair>> Read(std::string_view prefix);
  int64_t pairs() const { return pairs_; }
  int64_t bytes() const { return bytes_; }

 private:
  Status Set(std::string_view key, const std::optional<std::string>& value);
  Status RemovePrefix(std::string_view prefix);

  struct Statements {
    sqlite::Statement size, put, remove, read, weigh, remove_range;
  };
  std::unique_ptr<Statements> statements_;
  int64_t pairs_ = 0, bytes_ = 0;
  int64_t pairs_next_ = 0, bytes_next_ = 0;  // after the transaction that runs
};

}  // namespace ferry::store
