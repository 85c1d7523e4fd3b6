// What this device was asked to erase, and what became of it: kept in the outbox's file, so that a
// process that is killed amid it goes on with it, and a server that is away hears of it later.
// Internal to the room but for Erasure.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/json_fwd.h"
#include "pipeline/sqlite/sqlite.h"

namespace ferry::store {

// The last one. Receipts are JSON texts of whoever gives them.
struct Erasure {
  uint64_t number = 0;  // grows with each; 0: there was none
  int64_t asked_ms = 0;
  std::string asked;   // by whom: "app", or the server's number of its request
  std::string device;  // what was removed here; empty: it is not done
  std::string cloud;   // what the server removed; empty: it has not said
};

// What the outbox removed.
struct ErasedCounts {
  int64_t records = 0;  // that waited for the cloud
  int64_t state_pairs = 0;
  int64_t table_rows = 0;
  int64_t bytes = 0;  // of all of them
};

// {"records","state_pairs","table_rows","bytes","erased_ms"}: a receipt, for others to add to.
Json ErasedToJson(const ErasedCounts& counts, int64_t erased_ms);
// What a status shows: {"number","asked","asked_ms","device":receipt|null,"cloud":receipt|null};
// null when there was none.
Json ErasureToJson(const Erasure& erasure);

class Erasures {
 public:
  Status Load(sqlite3* db);
  // Inside a transaction; counts after Wrote.
  Status Write(const Erasure& erasure);
  void Wrote(const Erasure& erasure) { last_ = erasure; }
  const Erasure& last() const { return last_; }

 private:
  sqlite3* db_ = nullptr;
  Erasure last_;
};

// Runs after rows were deleted with secure_delete: nothing of them is left in the file or its log.
Status WipeFile(sqlite3* db);

}  // namespace ferry::store
