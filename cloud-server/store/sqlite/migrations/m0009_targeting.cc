// What a device's machine and app say more of it, groups of devices, and what packages ask for.

namespace ferry::server {

extern const char* const kMigration_m0009_targeting;
// -1: not known.
const char* const kMigration_m0009_targeting = R"sql(
ALTER TABLE device ADD COLUMN memory_bytes INTEGER NOT NULL DEFAULT -1;
ALTER TABLE device ADD COLUMN free_bytes INTEGER NOT NULL DEFAULT -1;
ALTER TABLE device ADD COLUMN isa TEXT NOT NULL DEFAULT '[]';
ALTER TABLE device ADD COLUMN measured_class TEXT NOT NULL DEFAULT '';
ALTER TABLE device ADD COLUMN user_attributes TEXT NOT NULL DEFAULT '{}';

CREATE TABLE device_group (
  name TEXT PRIMARY KEY NOT NULL,
  rule TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  row_version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE group_device (
  device TEXT NOT NULL REFERENCES device (id) ON DELETE CASCADE,
  group_name TEXT NOT NULL REFERENCES device_group (name) ON DELETE CASCADE,
  PRIMARY KEY (device, group_name)
) STRICT, WITHOUT ROWID;
CREATE INDEX group_device_by_group ON group_device (group_name, device);

ALTER TABLE package ADD COLUMN requires_json TEXT NOT NULL DEFAULT '';
ALTER TABLE package ADD COLUMN licence TEXT NOT NULL DEFAULT '';
ALTER TABLE package ADD COLUMN description TEXT NOT NULL DEFAULT '';
)sql";

}  // namespace ferry::server
