// The outbox's file: opened, told apart from others, and brought to the present schema. Internal to
// the room.
#pragma once

#include <string>

#include "common/sys/random.h"
#include "pipeline/sqlite/sqlite.h"

namespace ferry::store {

// `*db` is to be closed by the caller, after an error too. A file of someone else is left as it is.
Status OpenDatabase(const std::string& path, sys::Random& random, sqlite3** db);

}  // namespace ferry::store
