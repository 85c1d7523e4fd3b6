// What was erased of devices, and at whose wish.

namespace ferry::server {

extern const char* const kMigration_m0019_erasures;
const char* const kMigration_m0019_erasures = R"sql(
CREATE TABLE erasure (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  device TEXT NOT NULL REFERENCES device (id),
  asked_by TEXT NOT NULL,
  asked_ms INTEGER NOT NULL,
  device_number INTEGER NOT NULL,
  device_ms INTEGER NOT NULL,
  device_receipt TEXT NOT NULL,
  records INTEGER NOT NULL,
  refused INTEGER NOT NULL,
  texts INTEGER NOT NULL);
CREATE INDEX erasure_device ON erasure (device, id);
CREATE INDEX erasure_pending ON erasure (device) WHERE device_ms = 0;
)sql";

}  // namespace ferry::server
