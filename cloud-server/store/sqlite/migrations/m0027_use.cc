// What tasks did and streams brought in, by day.

namespace ferry::server {

extern const char* const kMigration_m0027_use;
const char* const kMigration_m0027_use = R"sql(
CREATE TABLE task_use (
  day INTEGER NOT NULL,
  package TEXT NOT NULL,
  version TEXT NOT NULL,
  device TEXT NOT NULL,
  events INTEGER NOT NULL,
  starts INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  inferences INTEGER NOT NULL,
  PRIMARY KEY (day, package, version, device)
) STRICT, WITHOUT ROWID;
CREATE TABLE task_day (
  day INTEGER NOT NULL,
  package TEXT NOT NULL,
  version TEXT NOT NULL,
  devices INTEGER NOT NULL,
  events INTEGER NOT NULL,
  starts INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  inferences INTEGER NOT NULL,
  PRIMARY KEY (day, package, version)
) STRICT, WITHOUT ROWID;
CREATE TABLE stream_day (
  day INTEGER NOT NULL,
  stream TEXT NOT NULL,
  devices INTEGER NOT NULL,
  "rows" INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (day, stream)
) STRICT, WITHOUT ROWID;
)sql";

}  // namespace ferry::server
