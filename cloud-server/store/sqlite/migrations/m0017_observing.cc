// Who is held back is watched as the others are: devices that report on what runs instead.

namespace ferry::server {

extern const char* const kMigration_m0017_observing;
const char* const kMigration_m0017_observing = R"sql(
ALTER TABLE device ADD COLUMN observes INTEGER NOT NULL DEFAULT 0;
CREATE INDEX device_observing ON device (tenant) WHERE observes = 1;
DROP INDEX member_undecided;
CREATE INDEX member_undecided ON member (release, step_ms, device)
  WHERE outcome = 'open' AND overdue = 0 AND step_ms > 0;

DROP TRIGGER device_changed;
CREATE TRIGGER device_changed AFTER UPDATE OF blocked, tenant, os, app_version, device_class,
    runtime_version, tags, operator_tags, extra, memory_bytes, isa, measured_class ON device
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
)sql";

}  // namespace ferry::server
