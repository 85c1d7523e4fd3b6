// Collective storage: tables that tasks declare, in the SQLite file of the outbox, with one writer.
// Changes of one run are collected in a Batch, which sees them itself; they commit together with
// the run's records, or leave nothing.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pipeline/table/definition.h"

struct sqlite3;

namespace ferry::table {

inline constexpr size_t kMaxTables = 256;
inline constexpr size_t kMaxTableRowBytes = 64 << 10;           // of a row's JSON text
inline constexpr int64_t kMaxTablesBytes = int64_t{256} << 20;  // of all keys and rows
inline constexpr size_t kMaxBatchBytes = size_t{16} << 20;      // of one batch's keys and rows
inline constexpr size_t kMaxRangeRows = 10'000;                 // that one Range answers

// Rows whose key begins with `prefix` (in the key's order of columns), in order of the key.
struct RangeQuery {
  std::vector<Json> prefix;
  size_t limit = kMaxRangeRows;
  bool descending = false;
};

struct TableStats {
  std::string name;
  int64_t rows = 0, bytes = 0;  // bytes of keys and JSON texts
  int64_t expired = 0;          // rows that retention dropped, ever
  int64_t resets = 0;           // how often a changed definition began it anew
};

// What a Fill did.
struct FillCounts {
  bool same = false;  // the rows were there already
  int64_t brought = 0;
  int64_t removed = 0;  // of the last one
  int64_t kept = 0;     // rows that somebody else's stand in the place of
};

// A change of one row.
struct Change {
  std::optional<std::string> row;  // JSON text; nullopt: it is deleted
};

class Tables;

// One thread at a time; several batches may be open. `Tables` outlives it.
class Batch {
 public:
  explicit Batch(Tables& tables) : tables_(tables) {}

  // The row, or null. `key` holds the values of the key's columns. kNotFound: no such table;
  // kInvalidArgument names table and column.
  Result<Json> Get(std::string_view table, const std::vector<Json>& key);
  // Replaces the row of the same key. kLimitExceeded: a row above kMaxTableRowBytes, a key above
  // kMaxKeyBytes, a batch above kMaxBatchBytes.
  Status Put(std::string_view table, const Json& row);
  Status Delete(std::string_view table, const std::vector<Json>& key);
  Result<std::vector<Json>> Range(std::string_view table, const RangeQuery& query);

  bool empty() const { return changes_.empty(); }
  void Clear();
  size_t bytes() const { return bytes_; }

 private:
  friend class Tables;
  using Changes = std::map<std::string, Change>;  // by encoded key
  Status Add(std::string_view table, std::string key, std::optional<std::string> row);

  Tables& tables_;
  std::map<std::string, Changes, std::less<>> changes_;  // by table
  size_t bytes_ = 0;
};

// Any thread may call what is for callers. The outbox that owns it holds the database.
class Tables {
 public:
  Tables();
  ~Tables();

  // Makes the table, or takes up the one that is there: added columns keep its rows, every other
  // change of columns or key drops them (true is answered, and counted). Durable on return.
  Result<bool> Declare(const Definition& definition);
  Status Drop(std::string_view name);
  // ---- fill.cc
  // `rows` in place of those that the last Fill of this `source` (a package) brought and that are
  // still as it wrote them. A row that was written since, or whose key stands there already, is
  // somebody else's and stays. Nothing is done when `digest`, which names the rows, is that of the
  // last Fill. All in one transaction, durable on return. kLimitExceeded: more rows than the table
  // keeps, or tables that would pass kMaxTablesBytes.
  Result<FillCounts> Fill(std::string_view name, std::string_view source, std::string_view digest,
                          std::span<const Json> rows, int64_t now_ms);
  // Whether the last Fill of the source had this digest. kNotFound: no such table.
  Result<bool> IsFilled(std::string_view name, std::string_view source,
                        std::string_view digest) const;
  // kNotFound. A copy.
  Result<Definition> Find(std::string_view name) const;
  std::vector<TableStats> stats() const;
  int64_t bytes() const;

  // ---- for the outbox, which holds its lock
  Status Load(sqlite3* db, std::recursive_mutex* lock);
  // Inside a transaction: writes the changes and applies retention; `now_ms` since 1970.
  // kLimitExceeded when the tables would pass kMaxTablesBytes.
  Status Apply(std::span<Batch* const> batches, int64_t now_ms);
  // Inside a transaction: all rows of all tables, and what was filled; how many rows there were.
  Result<int64_t> ClearAll();
  void Settle(bool committed);

 private:
  friend class Batch;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ferry::table
