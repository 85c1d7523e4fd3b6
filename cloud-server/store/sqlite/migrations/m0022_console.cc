// Sessions of browsers and where each session is used, second factors, and how releases went.

namespace ferry::server {

extern const char* const kMigration_m0022_console;
const char* const kMigration_m0022_console = R"sql(
ALTER TABLE session ADD COLUMN cookie INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN peer TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN agent TEXT NOT NULL DEFAULT '';
CREATE INDEX session_account ON session (account, created_ms);
ALTER TABLE account ADD COLUMN totp TEXT NOT NULL DEFAULT '';
CREATE TABLE release_point (
  release TEXT NOT NULL REFERENCES release (id) ON DELETE CASCADE,
  time_ms INTEGER NOT NULL,
  members INTEGER NOT NULL,
  healthy INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  back INTEGER NOT NULL,
  evidence TEXT NOT NULL,
  PRIMARY KEY (release, time_ms)
) STRICT, WITHOUT ROWID;
CREATE TABLE release_series (
  release TEXT PRIMARY KEY NOT NULL REFERENCES release (id) ON DELETE CASCADE,
  thinned INTEGER NOT NULL,
  step_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
)sql";

}  // namespace ferry::server
