// A log of which devices changed, for views of the whole fleet.

namespace ferry::server {

extern const char* const kMigration_m0023_fleet;
// Columns of `device` that no list shows, and the row's own version, are left out of the
// comparison: only what PutHeard writes makes a row with heard = 1.
const char* const kMigration_m0023_fleet = R"sql(
CREATE TABLE fleet_change (
  seq INTEGER PRIMARY KEY NOT NULL,
  device TEXT NOT NULL,
  heard INTEGER NOT NULL
) STRICT;
CREATE TRIGGER fleet_change_cut AFTER INSERT ON fleet_change WHEN NEW.seq % 1024 = 0 BEGIN
  DELETE FROM fleet_change WHERE seq <= NEW.seq - 262144;
END;

CREATE TRIGGER fleet_device_came AFTER INSERT ON device BEGIN
  INSERT INTO fleet_change (device, heard) VALUES (NEW.id, 0);
END;
CREATE TRIGGER fleet_device_changed AFTER UPDATE ON device BEGIN
  INSERT INTO fleet_change (device, heard) VALUES (NEW.id,
    (NEW.tenant, NEW.blocked, NEW.os, NEW.app_version, NEW.device_class, NEW.tags, NEW.extra,
     NEW.runtime_version, NEW.enrolled_ms, NEW.operator_tags, NEW.memory_bytes, NEW.free_bytes,
     NEW.isa, NEW.measured_class, NEW.user_attributes, NEW.utc_offset_minutes, NEW.at_rest)
    IS (OLD.tenant, OLD.blocked, OLD.os, OLD.app_version, OLD.device_class, OLD.tags, OLD.extra,
     OLD.runtime_version, OLD.enrolled_ms, OLD.operator_tags, OLD.memory_bytes, OLD.free_bytes,
     OLD.isa, OLD.measured_class, OLD.user_attributes, OLD.utc_offset_minutes, OLD.at_rest));
END;
CREATE TRIGGER fleet_installed_came AFTER INSERT ON installed BEGIN
  INSERT INTO fleet_change (device, heard) VALUES (NEW.device, 0);
END;
CREATE TRIGGER fleet_installed_changed AFTER UPDATE ON installed WHEN NEW.version <> OLD.version
BEGIN
  INSERT INTO fleet_change (device, heard) VALUES (NEW.device, 0);
END;
CREATE TRIGGER fleet_installed_went AFTER DELETE ON installed BEGIN
  INSERT INTO fleet_change (device, heard) VALUES (OLD.device, 0);
END;
CREATE TRIGGER fleet_member_came AFTER INSERT ON member BEGIN
  INSERT INTO fleet_change (device, heard) VALUES (NEW.device, 0);
END;
CREATE TRIGGER fleet_member_changed AFTER UPDATE ON member
  WHEN (NEW.outcome, NEW.back, NEW.done, NEW.step) IS NOT
    (OLD.outcome, OLD.back, OLD.done, OLD.step)
BEGIN
  INSERT INTO fleet_change (device, heard) VALUES (NEW.device, 0);
END;
CREATE TRIGGER fleet_state_came AFTER INSERT ON device_state BEGIN
  INSERT INTO fleet_change (device, heard) VALUES (NEW.device, 0);
END;
CREATE TRIGGER fleet_state_changed AFTER UPDATE ON device_state BEGIN
  INSERT INTO fleet_change (device, heard) VALUES (NEW.device, 0);
END;
CREATE TRIGGER fleet_listed AFTER INSERT ON group_device BEGIN
  INSERT INTO fleet_change (device, heard) VALUES (NEW.device, 0);
END;
CREATE TRIGGER fleet_unlisted AFTER DELETE ON group_device BEGIN
  INSERT INTO fleet_change (device, heard) VALUES (OLD.device, 0);
END;
CREATE TRIGGER fleet_group_came AFTER INSERT ON device_group BEGIN
  INSERT INTO fleet_change (device, heard) VALUES ('', 0);
END;
CREATE TRIGGER fleet_group_changed AFTER UPDATE ON device_group BEGIN
  INSERT INTO fleet_change (device, heard) VALUES ('', 0);
END;
CREATE TRIGGER fleet_group_went AFTER DELETE ON device_group BEGIN
  INSERT INTO fleet_change (device, heard) VALUES ('', 0);
END;
)sql";

}  // namespace ferry::server
