// Releases, their members, gates and history; assignments and reports of devices.

namespace ferry::server {

extern const char* const kMigration_m0002_releases;
const char* const kMigration_m0002_releases = R"sql(
CREATE TABLE release (
  id TEXT PRIMARY KEY NOT NULL,
  tenant TEXT NOT NULL,
  package TEXT NOT NULL,
  version TEXT NOT NULL,
  release_counter INTEGER NOT NULL,
  fallback_version TEXT NOT NULL,
  plan_json TEXT NOT NULL,
  settings_json TEXT NOT NULL,
  salt TEXT NOT NULL,
  state TEXT NOT NULL,
  paused_from TEXT NOT NULL,
  stage INTEGER NOT NULL,
  stage_since_ms INTEGER NOT NULL,
  paused_ms INTEGER NOT NULL,
  reason TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  number INTEGER NOT NULL UNIQUE,
  row_version INTEGER NOT NULL,
  FOREIGN KEY (package, version) REFERENCES package (name, version)
) STRICT, WITHOUT ROWID;
CREATE INDEX release_package ON release (package, number);

CREATE TABLE stage (
  release TEXT NOT NULL REFERENCES release (id),
  "index" INTEGER NOT NULL,
  entered_ms INTEGER NOT NULL,
  left_ms INTEGER NOT NULL,
  planned INTEGER NOT NULL,
  approved INTEGER NOT NULL,
  PRIMARY KEY (release, "index")
) STRICT, WITHOUT ROWID;

CREATE TABLE exclusive (
  release TEXT NOT NULL REFERENCES release (id),
  path TEXT NOT NULL REFERENCES artefact (path),
  device TEXT NOT NULL REFERENCES device (id),
  PRIMARY KEY (release, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE member (
  release TEXT NOT NULL REFERENCES release (id),
  device TEXT NOT NULL REFERENCES device (id),
  stage INTEGER NOT NULL,
  offered_ms INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  overdue INTEGER NOT NULL,
  done INTEGER NOT NULL,
  back INTEGER NOT NULL,
  step TEXT NOT NULL,
  step_ms INTEGER NOT NULL,
  error_code INTEGER NOT NULL,
  error_text TEXT NOT NULL,
  os TEXT NOT NULL,
  app_version TEXT NOT NULL,
  device_class TEXT NOT NULL,
  bytes_pulled INTEGER NOT NULL,
  was_delta INTEGER NOT NULL,
  by_push INTEGER NOT NULL,
  PRIMARY KEY (release, device)
) STRICT, WITHOUT ROWID;
CREATE INDEX member_device ON member (device);

CREATE TABLE slice (
  release TEXT NOT NULL REFERENCES release (id),
  slice TEXT NOT NULL,
  failed INTEGER NOT NULL,
  healthy INTEGER NOT NULL,
  overdue INTEGER NOT NULL,
  pending INTEGER NOT NULL,
  PRIMARY KEY (release, slice)
) STRICT, WITHOUT ROWID;

CREATE TABLE assignment (
  device TEXT PRIMARY KEY NOT NULL REFERENCES device (id),
  counter INTEGER NOT NULL,
  release TEXT NOT NULL,
  action TEXT NOT NULL,
  targets TEXT NOT NULL,
  exclusive TEXT NOT NULL,
  done INTEGER NOT NULL,
  made_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
  release TEXT NOT NULL REFERENCES release (id),
  seq INTEGER NOT NULL,
  time_ms INTEGER NOT NULL,
  kind TEXT NOT NULL,
  text TEXT NOT NULL,
  numbers TEXT NOT NULL,
  PRIMARY KEY (release, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE report (
  number INTEGER PRIMARY KEY,
  device TEXT NOT NULL REFERENCES device (id),
  seq INTEGER NOT NULL,
  release TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  step TEXT NOT NULL,
  package TEXT NOT NULL,
  version TEXT NOT NULL,
  error_code INTEGER NOT NULL,
  error_text TEXT NOT NULL,
  time_ms INTEGER NOT NULL,
  received_ms INTEGER NOT NULL,
  bytes_pulled INTEGER NOT NULL,
  was_delta INTEGER NOT NULL,
  by_push INTEGER NOT NULL,
  previous_version TEXT NOT NULL,
  UNIQUE (device, seq)
) STRICT;
CREATE INDEX report_release ON report (release, number);
)sql";

}  // namespace ferry::server
