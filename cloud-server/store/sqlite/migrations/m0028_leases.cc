// What one node of several does at a time.

namespace ferry::server {

extern const char* const kMigration_m0028_leases;
const char* const kMigration_m0028_leases = R"sql(
CREATE TABLE lease (
  name TEXT PRIMARY KEY NOT NULL,
  holder TEXT NOT NULL,
  number INTEGER NOT NULL,
  until_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
)sql";

}  // namespace ferry::server
