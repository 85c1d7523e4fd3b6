// The store in one SQLite file (WAL, foreign keys, STRICT tables).
#pragma once

#include <memory>
#include <string>

#include "cloud-server/store/store.h"

namespace ferry::server {

// Opens or makes the database and brings its schema up to date. kUnsupported when a newer server
// wrote it, kMalformed when it is no database; errors name the path.
Result<std::unique_ptr<Store>> OpenSqliteStore(const std::string& path);
// Lives as long as the object; for tests.
Result<std::unique_ptr<Store>> OpenMemoryStore();

}  // namespace ferry::server
