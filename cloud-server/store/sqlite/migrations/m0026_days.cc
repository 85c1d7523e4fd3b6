// What the fleet ran at the end of each day.

namespace ferry::server {

extern const char* const kMigration_m0026_days;
const char* const kMigration_m0026_days = R"sql(
CREATE TABLE fleet_day (
  day INTEGER NOT NULL,
  package TEXT NOT NULL,
  version TEXT NOT NULL,
  devices INTEGER NOT NULL,
  PRIMARY KEY (day, package, version)
) STRICT, WITHOUT ROWID;
)sql";

}  // namespace ferry::server
