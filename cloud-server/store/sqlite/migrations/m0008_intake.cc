// What devices brought in, by day, and what is kept of each stream; when a mark was heard of.

namespace ferry::server {

extern const char* const kMigration_m0008_intake;
// The sizes are kept by triggers, so that they are right whoever adds or deletes rows. 256 is
// kRowOverheadBytes of ingest/limits.h.
const char* const kMigration_m0008_intake = R"sql(
CREATE TABLE intake_day (
  day INTEGER NOT NULL,
  device TEXT NOT NULL,
  stream TEXT NOT NULL,
  "rows" INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (day, device, stream)
) STRICT, WITHOUT ROWID;

CREATE TABLE record_size (
  stream TEXT NOT NULL,
  device TEXT NOT NULL,
  "rows" INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (stream, device)
) STRICT, WITHOUT ROWID;
INSERT INTO record_size SELECT stream, device, count(*),
  sum(256 + length(CAST(stream AS BLOB)) + length(CAST(json AS BLOB))) FROM record
  GROUP BY stream, device;
CREATE TRIGGER record_added AFTER INSERT ON record BEGIN
  INSERT INTO record_size VALUES (NEW.stream, NEW.device, 1,
    256 + length(CAST(NEW.stream AS BLOB)) + length(CAST(NEW.json AS BLOB)))
  ON CONFLICT (stream, device) DO UPDATE SET
    "rows" = "rows" + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER record_dropped AFTER DELETE ON record BEGIN
  UPDATE record_size SET "rows" = "rows" - 1,
    bytes = bytes - 256 - length(CAST(OLD.stream AS BLOB)) - length(CAST(OLD.json AS BLOB))
  WHERE stream = OLD.stream AND device = OLD.device;
END;

ALTER TABLE outbox_mark ADD COLUMN heard_ms INTEGER NOT NULL DEFAULT 0;

CREATE TABLE unused_content (
  sha256 TEXT PRIMARY KEY NOT NULL,
  since_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
)sql";

}  // namespace ferry::server
