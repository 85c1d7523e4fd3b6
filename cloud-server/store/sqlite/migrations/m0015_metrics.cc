// What devices measured, and how it is counted for the gates.

namespace ferry::server {

extern const char* const kMigration_m0015_metrics;
// Numbers are JSON, {"name": number, ..}, or empty for none.
const char* const kMigration_m0015_metrics = R"sql(
ALTER TABLE member ADD COLUMN metrics TEXT NOT NULL DEFAULT '';
ALTER TABLE report ADD COLUMN metrics TEXT NOT NULL DEFAULT '';
CREATE INDEX member_control ON member (release, stage, offered_ms, device) WHERE control = 1;

CREATE TABLE metric_tally (
  release TEXT NOT NULL REFERENCES release (id),
  stage INTEGER NOT NULL,
  control INTEGER NOT NULL,
  slice TEXT NOT NULL,
  metric TEXT NOT NULL,
  past INTEGER NOT NULL,
  within INTEGER NOT NULL,
  PRIMARY KEY (release, stage, control, slice, metric)
) STRICT, WITHOUT ROWID;

CREATE TABLE metric_baseline (
  release TEXT NOT NULL REFERENCES release (id),
  stage INTEGER NOT NULL,
  metric TEXT NOT NULL,
  threshold TEXT NOT NULL,
  after_ms INTEGER NOT NULL,
  fixed_ms INTEGER NOT NULL,
  PRIMARY KEY (release, stage, metric)
) STRICT, WITHOUT ROWID;
)sql";

}  // namespace ferry::server
