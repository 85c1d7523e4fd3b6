// How far each outbox came, apart from the rows that are kept of it.

namespace ferry::server {

extern const char* const kMigration_m0004_marks;
const char* const kMigration_m0004_marks = R"sql(
CREATE TABLE outbox_mark (
  device TEXT NOT NULL REFERENCES device (id),
  outbox TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (device, outbox)
) STRICT, WITHOUT ROWID;
INSERT INTO outbox_mark SELECT device, outbox, max(seq) FROM record GROUP BY device, outbox;

CREATE TABLE record_refused (
  number INTEGER PRIMARY KEY,
  device TEXT NOT NULL REFERENCES device (id),
  outbox TEXT NOT NULL,
  seq INTEGER NOT NULL,
  stream TEXT NOT NULL,
  error_code INTEGER NOT NULL,
  reason TEXT NOT NULL,
  received_ms INTEGER NOT NULL,
  UNIQUE (device, outbox, seq)
) STRICT;

CREATE TABLE record_loss (
  number INTEGER PRIMARY KEY,
  device TEXT NOT NULL REFERENCES device (id),
  outbox TEXT NOT NULL,
  first_seq INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  noted_ms INTEGER NOT NULL,
  UNIQUE (device, outbox, first_seq)
) STRICT;
)sql";

}  // namespace ferry::server
