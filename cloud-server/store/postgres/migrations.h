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

// Brings the database to the newest of `steps`, each in a transaction of its own; of several
// servers that start at once one does it and the others wait. Nodes of the release before may serve
// meanwhile: kFailedPrecondition names one that a step would leave behind. One that is newer than
// this program is left as it is where it serves it, and is kUnsupported otherwise.
Status MigratePostgres(PostgresConnection& sql,
                       const std::vector<Migration>& steps = PostgresMigrations());
// The step that it has; 0: none.
Result<int64_t> PostgresSchema(PostgresConnection& sql);
// The oldest schema whose programs it serves.
Result<int64_t> OldestServed(PostgresConnection& sql);

}  // namespace ferry::server
