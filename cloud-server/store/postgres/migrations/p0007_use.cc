// What tasks did and streams brought in, by day.

namespace ferry::server {

extern const char* const kMigration_p0007_use;
const char* const kMigration_p0007_use = R"sql(
CREATE TABLE task_use (
  day BIGINT NOT NULL,
  package TEXT COLLATE "C" NOT NULL,
  version TEXT COLLATE "C" NOT NULL,
  device TEXT COLLATE "C" NOT NULL,
  events BIGINT NOT NULL,
  starts BIGINT NOT NULL,
  failures BIGINT NOT NULL,
  inferences BIGINT NOT NULL,
  PRIMARY KEY (day, package, version, device)
);
CREATE TABLE task_day (
  day BIGINT NOT NULL,
  package TEXT COLLATE "C" NOT NULL,
  version TEXT COLLATE "C" NOT NULL,
  devices BIGINT NOT NULL,
  events BIGINT NOT NULL,
  starts BIGINT NOT NULL,
  failures BIGINT NOT NULL,
  inferences BIGINT NOT NULL,
  PRIMARY KEY (day, package, version)
);
CREATE TABLE stream_day (
  day BIGINT NOT NULL,
  stream TEXT COLLATE "C" NOT NULL,
  devices BIGINT NOT NULL,
  "rows" BIGINT NOT NULL,
  bytes BIGINT NOT NULL,
  PRIMARY KEY (day, stream)
);
)sql";

}  // namespace ferry::server
