// The store in one SQLite file (WAL, foreign keys, STRICT tables).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cloud-server/store/facts.h"
#include "cloud-server/store/store.h"

namespace ferry::server {

// Opens or makes the database and brings its schema up to date. kUnsupported when a newer server
// wrote it, kMalformed when it is no database; errors name the path.
Result<std::unique_ptr<Store>> OpenSqliteStore(const std::string& path);
// Lives as long as the object; for tests.
Result<std::unique_ptr<Store>> OpenMemoryStore();

// As OpenSqliteStore, by one connection, on the disk of that VFS (sim/disk.h); for simulations.
Result<std::unique_ptr<Store>> OpenSimulatedStore(const char* vfs);

// Reads all of it and changes nothing. kNotFound and the like name the path; damage is a problem.
Result<StoreFacts> InspectSqliteStore(const std::string& path);
// Copies the database as it is at one moment into the file `to`, which is there and empty. A server
// may write it meanwhile. `progress` (may be null) hears the pages that are done and all of them.
Status CopySqliteStore(const std::string& path, const std::string& to,
                       const std::function<void(int64_t, int64_t)>& progress);

}  // namespace ferry::server
