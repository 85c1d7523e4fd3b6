// Triggers of the log of which devices changed.

namespace ferry::server {

extern const char* const kMigration_p0006_fleet_log;
// Columns of `device` that no list shows, and the row's own version, are left out of the
// comparison: only what PutHeard writes makes a row with heard = 1. The store cuts the log.
const char* const kMigration_p0006_fleet_log = R"sql(
CREATE FUNCTION ferry_log_device() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO fleet_change (device, heard) VALUES (NEW.id,
    CASE WHEN TG_OP = 'UPDATE' AND
      (NEW.tenant, NEW.blocked, NEW.os, NEW.app_version, NEW.device_class, NEW.tags, NEW.extra,
       NEW.runtime_version, NEW.enrolled_ms, NEW.operator_tags, NEW.memory_bytes, NEW.free_bytes,
       NEW.isa, NEW.measured_class, NEW.user_attributes, NEW.utc_offset_minutes, NEW.at_rest)
      IS NOT DISTINCT FROM
      (OLD.tenant, OLD.blocked, OLD.os, OLD.app_version, OLD.device_class, OLD.tags, OLD.extra,
       OLD.runtime_version, OLD.enrolled_ms, OLD.operator_tags, OLD.memory_bytes, OLD.free_bytes,
       OLD.isa, OLD.measured_class, OLD.user_attributes, OLD.utc_offset_minutes, OLD.at_rest)
    THEN 1 ELSE 0 END);
  RETURN NULL;
END $$;
CREATE TRIGGER fleet_device AFTER INSERT OR UPDATE ON device
  FOR EACH ROW EXECUTE FUNCTION ferry_log_device();

CREATE FUNCTION ferry_log_beside() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO fleet_change (device, heard)
    VALUES (CASE WHEN TG_OP = 'DELETE' THEN OLD.device ELSE NEW.device END, 0);
  RETURN NULL;
END $$;
CREATE TRIGGER fleet_installed AFTER INSERT OR DELETE ON installed
  FOR EACH ROW EXECUTE FUNCTION ferry_log_beside();
CREATE TRIGGER fleet_installed_changed AFTER UPDATE ON installed
  FOR EACH ROW WHEN (NEW.version <> OLD.version) EXECUTE FUNCTION ferry_log_beside();
CREATE TRIGGER fleet_member AFTER INSERT ON member
  FOR EACH ROW EXECUTE FUNCTION ferry_log_beside();
CREATE TRIGGER fleet_member_changed AFTER UPDATE ON member
  FOR EACH ROW WHEN ((NEW.outcome, NEW.back, NEW.done, NEW.step)
    IS DISTINCT FROM (OLD.outcome, OLD.back, OLD.done, OLD.step))
  EXECUTE FUNCTION ferry_log_beside();
CREATE TRIGGER fleet_state AFTER INSERT OR UPDATE ON device_state
  FOR EACH ROW EXECUTE FUNCTION ferry_log_beside();
CREATE TRIGGER fleet_listed AFTER INSERT OR DELETE ON group_device
  FOR EACH ROW EXECUTE FUNCTION ferry_log_beside();

CREATE FUNCTION ferry_log_groups() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO fleet_change (device, heard) VALUES ('', 0);
  RETURN NULL;
END $$;
CREATE TRIGGER fleet_group AFTER INSERT OR UPDATE OR DELETE ON device_group
  FOR EACH ROW EXECUTE FUNCTION ferry_log_groups();
)sql";

}  // namespace ferry::server
