// Which root devices have: what the server's authority may be retired by.

namespace ferry::server {

extern const char* const kMigration_m0020_device_root;
const char* const kMigration_m0020_device_root = R"sql(
ALTER TABLE device ADD COLUMN root_version INTEGER NOT NULL DEFAULT 0;
CREATE INDEX device_root ON device (tenant, root_version);
)sql";

}  // namespace ferry::server
