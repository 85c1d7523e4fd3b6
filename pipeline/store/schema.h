// The outbox's file: opened, told apart from others, and brought to the present schema. Internal to
// the room.
#pragma once

#include <string>

#include "common/sys/random.h"
#include "pipeline/store/sqlite.h"

namespace ferry::store {

// `*db` is to be closed by the caller, after an error too. A file of someone else is left as it is.
Status OpenDatabase(const std::string& path, sys::Random& random, sqlite3** db);

// Commits when `body` returned success, else rolls back and passes its error on.
template <typename Body>
Status Transact(sqlite3* db, Body body) {
  FERRY_TRY(Execute(db, "BEGIN IMMEDIATE"));
  Status status = body();
  if (status.ok()) status = Execute(db, "COMMIT");
  if (!status.ok() && sqlite3_get_autocommit(db) == 0)
    sqlite3_exec(db, "ROLLBACK", nullptr, nullptr, nullptr);
  return status;
}

}  // namespace ferry::store
