// Devices that are asked for new keys.

namespace ferry::server {

extern const char* const kMigration_m0018_device_keys;
const char* const kMigration_m0018_device_keys = R"sql(
ALTER TABLE device ADD COLUMN new_keys_ms INTEGER NOT NULL DEFAULT 0;
CREATE INDEX device_new_keys ON device (tenant, new_keys_ms) WHERE new_keys_ms <> 0;
)sql";

}  // namespace ferry::server
