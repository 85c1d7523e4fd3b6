// Which life of the database's server it is.

namespace ferry::server {

extern const char* const kMigration_p0010_life;
// An unlogged table is empty after every start that had to recover, and on a standby that becomes
// the primary: just where numbers of transactions may be given out again.
const char* const kMigration_p0010_life = R"sql(
CREATE UNLOGGED TABLE server_life (
  one BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (one),
  token TEXT NOT NULL
);
)sql";

}  // namespace ferry::server
