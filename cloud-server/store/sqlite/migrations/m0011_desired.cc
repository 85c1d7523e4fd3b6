// Desired state: what devices have and were told, counts as increments, distinct profiles.

namespace ferry::server {

extern const char* const kMigration_m0011_desired;
// Names of slices are those of target::SlicesOf.
const char* const kMigration_m0011_desired = R"sql(
ALTER TABLE member ADD COLUMN control INTEGER NOT NULL DEFAULT 0;
ALTER TABLE member ADD COLUMN attempt INTEGER NOT NULL DEFAULT 0;
ALTER TABLE member ADD COLUMN told TEXT NOT NULL DEFAULT '';
ALTER TABLE member ADD COLUMN had_version TEXT NOT NULL DEFAULT '?';
CREATE INDEX member_undecided ON member (release, step_ms, device)
  WHERE outcome = 'open' AND overdue = 0 AND control = 0 AND step_ms > 0;
CREATE INDEX member_away ON member (release) WHERE control = 0 AND (back = 0 OR done = 0);
CREATE INDEX member_outcome ON member (release, outcome)
  WHERE outcome IN ('failed', 'device_cause');

CREATE TABLE tally (
  release TEXT NOT NULL REFERENCES release (id),
  stage INTEGER NOT NULL,
  control INTEGER NOT NULL,
  slice TEXT NOT NULL,
  pending INTEGER NOT NULL,
  healthy INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  overdue INTEGER NOT NULL,
  device_cause INTEGER NOT NULL,
  told_back INTEGER NOT NULL,
  returned INTEGER NOT NULL,
  first_ms INTEGER NOT NULL,
  PRIMARY KEY (release, stage, control, slice)
) STRICT, WITHOUT ROWID;
INSERT INTO tally SELECT release, stage, 0, slice,
  sum(outcome = 'open' AND NOT overdue), sum(outcome = 'healthy'), sum(outcome = 'failed'),
  sum(outcome = 'open' AND overdue), sum(outcome = 'device_cause'), sum(back), sum(back AND done),
  min(offered_ms)
  FROM (SELECT *, 'all' AS slice FROM member
    UNION ALL SELECT *, 'os=' || os FROM member WHERE os <> ''
    UNION ALL SELECT *, 'device_class=' || device_class FROM member WHERE device_class <> ''
    UNION ALL SELECT *, 'app_version=' || app_version FROM member WHERE app_version <> '')
  GROUP BY release, stage, slice;
DROP TABLE slice;

ALTER TABLE assignment ADD COLUMN desired TEXT NOT NULL DEFAULT '';

CREATE TABLE installed (
  device TEXT NOT NULL REFERENCES device (id),
  package TEXT NOT NULL,
  version TEXT NOT NULL,
  release TEXT NOT NULL,
  disabled INTEGER NOT NULL,
  PRIMARY KEY (device, package)
) STRICT, WITHOUT ROWID;

ALTER TABLE device ADD COLUMN reads_desired INTEGER NOT NULL DEFAULT 0;

CREATE TABLE profile (
  tenant TEXT NOT NULL,
  os TEXT NOT NULL,
  app_version TEXT NOT NULL,
  device_class TEXT NOT NULL,
  runtime_version TEXT NOT NULL,
  tags TEXT NOT NULL,
  operator_tags TEXT NOT NULL,
  extra TEXT NOT NULL,
  memory_bytes INTEGER NOT NULL,
  isa TEXT NOT NULL,
  measured_class TEXT NOT NULL,
  devices INTEGER NOT NULL,
  PRIMARY KEY (tenant, os, app_version, device_class, runtime_version, tags, operator_tags, extra,
    memory_bytes, isa, measured_class)
) STRICT, WITHOUT ROWID;
INSERT INTO profile SELECT tenant, os, app_version, device_class, runtime_version, tags,
  operator_tags, extra, memory_bytes, isa, measured_class, count(*) FROM device WHERE blocked = 0
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11;
CREATE TRIGGER device_came AFTER INSERT ON device WHEN NEW.blocked = 0 BEGIN
  INSERT INTO profile VALUES (NEW.tenant, NEW.os, NEW.app_version, NEW.device_class,
    NEW.runtime_version, NEW.tags, NEW.operator_tags, NEW.extra, NEW.memory_bytes,
    NEW.isa, NEW.measured_class, 1)
  ON CONFLICT DO UPDATE SET devices = devices + 1;
END;
CREATE TRIGGER device_changed AFTER UPDATE ON device
  WHEN (NEW.blocked, NEW.tenant, NEW.os, NEW.app_version, NEW.device_class, NEW.runtime_version,
        NEW.tags, NEW.operator_tags, NEW.extra, NEW.memory_bytes, NEW.isa, NEW.measured_class)
    IS NOT (OLD.blocked, OLD.tenant, OLD.os, OLD.app_version, OLD.device_class,
            OLD.runtime_version, OLD.tags, OLD.operator_tags, OLD.extra, OLD.memory_bytes,
            OLD.isa, OLD.measured_class)
BEGIN
  UPDATE profile SET devices = devices - 1 WHERE OLD.blocked = 0 AND
    (tenant, os, app_version, device_class, runtime_version, tags, operator_tags, extra,
     memory_bytes, isa, measured_class) =
    (OLD.tenant, OLD.os, OLD.app_version, OLD.device_class, OLD.runtime_version, OLD.tags,
     OLD.operator_tags, OLD.extra, OLD.memory_bytes, OLD.isa, OLD.measured_class);
  DELETE FROM profile WHERE devices = 0 AND
    (tenant, os, app_version, device_class, runtime_version, tags, operator_tags, extra,
     memory_bytes, isa, measured_class) =
    (OLD.tenant, OLD.os, OLD.app_version, OLD.device_class, OLD.runtime_version, OLD.tags,
     OLD.operator_tags, OLD.extra, OLD.memory_bytes, OLD.isa, OLD.measured_class);
  INSERT INTO profile SELECT NEW.tenant, NEW.os, NEW.app_version, NEW.device_class,
    NEW.runtime_version, NEW.tags, NEW.operator_tags, NEW.extra,
    NEW.memory_bytes, NEW.isa, NEW.measured_class, 1 WHERE NEW.blocked = 0
  ON CONFLICT DO UPDATE SET devices = devices + 1;
END;

CREATE TABLE generation (
  id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  value INTEGER NOT NULL
) STRICT;
INSERT INTO generation VALUES (1, 1);
CREATE TRIGGER release_came AFTER INSERT ON release BEGIN UPDATE generation SET value = value + 1;
END;
CREATE TRIGGER release_changed AFTER UPDATE ON release BEGIN
  UPDATE generation SET value = value + 1;
END;
CREATE TRIGGER artefact_came AFTER INSERT ON artefact BEGIN UPDATE generation SET value = value + 1;
END;
CREATE TRIGGER artefact_changed AFTER UPDATE ON artefact BEGIN
  UPDATE generation SET value = value + 1;
END;
CREATE TRIGGER exclusive_came AFTER INSERT ON exclusive BEGIN
  UPDATE generation SET value = value + 1;
END;
)sql";

}  // namespace ferry::server
