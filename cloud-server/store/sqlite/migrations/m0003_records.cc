// What devices' streams sent, and the operator's labels.

namespace ferry::server {

extern const char* const kMigration_m0003_records;
const char* const kMigration_m0003_records = R"sql(
CREATE TABLE record (
  number INTEGER PRIMARY KEY,
  device TEXT NOT NULL REFERENCES device (id),
  outbox TEXT NOT NULL,
  seq INTEGER NOT NULL,
  stream TEXT NOT NULL,
  time_ms INTEGER NOT NULL,
  received_ms INTEGER NOT NULL,
  json TEXT NOT NULL,
  UNIQUE (device, outbox, seq)
) STRICT;
CREATE INDEX record_stream ON record (stream, device, number);

CREATE TABLE label (
  "set" TEXT NOT NULL,
  key TEXT NOT NULL,
  label TEXT NOT NULL,
  PRIMARY KEY ("set", key)
) STRICT, WITHOUT ROWID;
)sql";

}  // namespace ferry::server
