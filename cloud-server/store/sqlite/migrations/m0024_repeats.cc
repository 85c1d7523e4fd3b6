// Answers by the caller's key, and changes of many devices that can be taken back.

namespace ferry::server {

extern const char* const kMigration_m0024_repeats;
const char* const kMigration_m0024_repeats = R"sql(
CREATE TABLE answered (
  account TEXT NOT NULL,
  key TEXT NOT NULL,
  request_sha256 TEXT NOT NULL,
  status INTEGER NOT NULL,
  body TEXT NOT NULL,
  time_ms INTEGER NOT NULL,
  PRIMARY KEY (account, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX answered_time ON answered (time_ms);

CREATE TABLE bulk (
  id TEXT PRIMARY KEY NOT NULL,
  account TEXT NOT NULL,
  time_ms INTEGER NOT NULL,
  action TEXT NOT NULL,
  tag TEXT NOT NULL,
  undone INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX bulk_time ON bulk (time_ms);
CREATE TABLE bulk_device (
  bulk TEXT NOT NULL REFERENCES bulk (id) ON DELETE CASCADE,
  device TEXT NOT NULL,
  PRIMARY KEY (bulk, device)
) STRICT, WITHOUT ROWID;
)sql";

}  // namespace ferry::server
