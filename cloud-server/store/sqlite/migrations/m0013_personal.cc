// Files for single devices that were added after publication; who can seal what lies on its disk.

namespace ferry::server {

extern const char* const kMigration_m0013_personal;
const char* const kMigration_m0013_personal = R"sql(
CREATE TABLE personal_file (
  device TEXT NOT NULL REFERENCES device (id),
  package TEXT NOT NULL,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  length INTEGER NOT NULL,
  entry_json TEXT NOT NULL,
  escrow_enc BLOB NOT NULL,
  escrow_sealed BLOB NOT NULL,
  escrow_id TEXT NOT NULL,
  added_ms INTEGER NOT NULL,
  added_by TEXT NOT NULL,
  PRIMARY KEY (device, package, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX personal_content ON personal_file (sha256);
CREATE INDEX personal_package ON personal_file (package, device, name);
CREATE INDEX personal_escrow ON personal_file (escrow_id);

CREATE TABLE personal_state (
  device TEXT PRIMARY KEY NOT NULL REFERENCES device (id),
  change INTEGER NOT NULL,
  version INTEGER NOT NULL,
  signed_change INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  expires_ms INTEGER NOT NULL,
  document BLOB NOT NULL
) STRICT, WITHOUT ROWID;

ALTER TABLE device ADD COLUMN at_rest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE assignment ADD COLUMN personal INTEGER NOT NULL DEFAULT 0;
)sql";

}  // namespace ferry::server
