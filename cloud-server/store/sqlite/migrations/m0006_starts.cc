// Starts of devices' processes, by which restored and copied states show, and the order in which
// outboxes began.

namespace ferry::server {

extern const char* const kMigration_m0006_starts;
const char* const kMigration_m0006_starts = R"sql(
CREATE TABLE device_start (
  number INTEGER PRIMARY KEY,
  device TEXT NOT NULL REFERENCES device (id),
  start_id TEXT NOT NULL,
  seen_ms INTEGER NOT NULL,
  UNIQUE (device, start_id)
) STRICT;
CREATE TABLE device_state (
  device TEXT PRIMARY KEY REFERENCES device (id),
  state TEXT NOT NULL,
  noted_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
ALTER TABLE outbox_mark ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
)sql";

}  // namespace ferry::server
