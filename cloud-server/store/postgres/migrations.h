// The schema on PostgreSQL, in numbered steps of its own: a step that was released never changes.
// Add one: a file under migrations/ and a row in migrations/list.inc, beside the same change for
// SQLite.
#pragma once

#include <vector>

#include "cloud-server/store/postgres/postgres_connection.h"
#include "cloud-server/store/sql/migration.h"

namespace ferry::server {

// In order, numbers from 1 without gaps.
const std::vector<Migration>& PostgresMigrations();

// Brings the database to the newest step, each in a transaction of its own; of several servers that
// start at once one does it and the others wait. kUnsupported when it is newer than this program.
Status MigratePostgres(PostgresConnection& sql);
// The step that it has; 0: none.
Result<int64_t> PostgresSchema(PostgresConnection& sql);

}  // namespace ferry::server
