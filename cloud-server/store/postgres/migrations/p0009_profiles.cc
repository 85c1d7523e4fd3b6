// Devices that come together are counted together.

namespace ferry::server {

extern const char* const kMigration_p0009_profiles;
// A row of `profile` is written once for all devices of a statement: one version of it for each of
// thousands that join in one transaction would be read over until they are vacuumed.
const char* const kMigration_p0009_profiles = R"sql(
CREATE FUNCTION ferry_count_profiles() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO profile AS known
  SELECT tenant, os, app_version, device_class, runtime_version, tags, operator_tags, extra,
    memory_bytes, isa, measured_class, count(*), ferry_profile_key(ROW(came.*)::device)
  FROM came WHERE blocked = 0
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13 ORDER BY 13
  ON CONFLICT (key) DO UPDATE SET devices = known.devices + excluded.devices;
  RETURN NULL;
END $$;
DROP TRIGGER device_came ON device;
CREATE TRIGGER device_came AFTER INSERT ON device REFERENCING NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION ferry_count_profiles();
)sql";

}  // namespace ferry::server
