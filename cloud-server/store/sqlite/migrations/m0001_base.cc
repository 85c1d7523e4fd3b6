// Devices, packages, metadata and access.

namespace ferry::server {

extern const char* const kMigration_m0001_base;
const char* const kMigration_m0001_base = R"sql(
CREATE TABLE device (
  id TEXT PRIMARY KEY NOT NULL,
  tenant TEXT NOT NULL,
  identity_public BLOB NOT NULL,
  seal_public BLOB NOT NULL,
  blocked INTEGER NOT NULL,
  os TEXT NOT NULL,
  app_version TEXT NOT NULL,
  device_class TEXT NOT NULL,
  tags TEXT NOT NULL,
  extra TEXT NOT NULL,
  runtime_version TEXT NOT NULL,
  enrolled_ms INTEGER NOT NULL,
  last_seen_ms INTEGER NOT NULL,
  report_seq INTEGER NOT NULL,
  row_version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX device_tenant ON device (tenant);

CREATE TABLE package (
  name TEXT NOT NULL,
  version TEXT NOT NULL,
  release_counter INTEGER NOT NULL,
  plain_sha256 TEXT NOT NULL,
  plain_length INTEGER NOT NULL,
  fallback_version TEXT NOT NULL,
  published_ms INTEGER NOT NULL,
  PRIMARY KEY (name, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE artefact (
  path TEXT PRIMARY KEY NOT NULL,
  package TEXT NOT NULL,
  version TEXT NOT NULL,
  kind TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  length INTEGER NOT NULL,
  base_version TEXT NOT NULL,
  entry_json TEXT NOT NULL,
  escrow_enc BLOB NOT NULL,
  escrow_sealed BLOB NOT NULL,
  FOREIGN KEY (package, version) REFERENCES package (name, version)
) STRICT, WITHOUT ROWID;
CREATE INDEX artefact_package ON artefact (package, version);
CREATE INDEX artefact_sha256 ON artefact (sha256);

CREATE TABLE metadata (
  role TEXT NOT NULL,
  version INTEGER NOT NULL,
  document BLOB NOT NULL,
  expires_ms INTEGER NOT NULL,
  PRIMARY KEY (role, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE join_token (
  id TEXT PRIMARY KEY NOT NULL,
  tenant TEXT NOT NULL,
  secret_sha256 TEXT NOT NULL UNIQUE,
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL,
  uses_left INTEGER NOT NULL,
  uses INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
  token_sha256 TEXT PRIMARY KEY NOT NULL,
  name TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE setting (
  key TEXT PRIMARY KEY NOT NULL,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
)sql";

}  // namespace ferry::server
