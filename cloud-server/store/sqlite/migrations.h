// The schema, in numbered steps: a step that was released never changes. Add one: a file under
// migrations/ and a row in migrations/list.inc.
#pragma once

#include <vector>

#include "cloud-server/store/sql/migration.h"
#include "cloud-server/store/sqlite/database.h"

namespace ferry::server {

// In order, numbers from 1 without gaps.
const std::vector<Migration>& AllMigrations();

// Brings the database to `target` (0: the newest), each step in a transaction of its own.
// kUnsupported when it is newer than this program.
Status Migrate(Database& database, int64_t target = 0);
Result<int64_t> SchemaVersion(Database& database);

}  // namespace ferry::server
