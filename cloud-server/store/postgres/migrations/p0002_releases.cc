// Packages, releases with their members and counts, campaigns.

namespace ferry::server {

extern const char* const kMigration_p0002_releases;
const char* const kMigration_p0002_releases = R"sql(
CREATE TABLE package (
  name TEXT COLLATE "C" NOT NULL, version TEXT COLLATE "C" NOT NULL,
  release_counter BIGINT NOT NULL, plain_sha256 TEXT COLLATE "C" NOT NULL,
  plain_length BIGINT NOT NULL, fallback_version TEXT COLLATE "C" NOT NULL,
  published_ms BIGINT NOT NULL, requires_json TEXT COLLATE "C" NOT NULL DEFAULT '',
  licence TEXT COLLATE "C" NOT NULL DEFAULT '', description TEXT COLLATE "C" NOT NULL DEFAULT '',
  PRIMARY KEY (name, version)
);

CREATE TABLE artefact (
  path TEXT COLLATE "C" PRIMARY KEY,
  package TEXT COLLATE "C" NOT NULL, version TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL, sha256 TEXT COLLATE "C" NOT NULL, length BIGINT NOT NULL,
  base_version TEXT COLLATE "C" NOT NULL, entry_json TEXT COLLATE "C" NOT NULL,
  escrow_enc BYTEA NOT NULL, escrow_sealed BYTEA NOT NULL,
  FOREIGN KEY (package, version) REFERENCES package (name, version)
);
CREATE INDEX artefact_package ON artefact (package, version);
CREATE INDEX artefact_sha256 ON artefact (sha256);

CREATE TABLE metadata (
  role TEXT COLLATE "C" NOT NULL, version BIGINT NOT NULL, document BYTEA NOT NULL,
  expires_ms BIGINT NOT NULL, bins BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (role, version)
);

CREATE TABLE release (
  id TEXT COLLATE "C" PRIMARY KEY,
  tenant TEXT COLLATE "C" NOT NULL, package TEXT COLLATE "C" NOT NULL,
  version TEXT COLLATE "C" NOT NULL, release_counter BIGINT NOT NULL,
  fallback_version TEXT COLLATE "C" NOT NULL, plan_json TEXT COLLATE "C" NOT NULL,
  settings_json TEXT COLLATE "C" NOT NULL, salt TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL, paused_from TEXT COLLATE "C" NOT NULL, stage BIGINT NOT NULL,
  stage_since_ms BIGINT NOT NULL, paused_ms BIGINT NOT NULL, reason TEXT COLLATE "C" NOT NULL,
  created_ms BIGINT NOT NULL,
  number BIGINT NOT NULL UNIQUE,
  row_version BIGINT NOT NULL, stopped_slices TEXT COLLATE "C" NOT NULL DEFAULT '[]',
  FOREIGN KEY (package, version) REFERENCES package (name, version)
);
CREATE INDEX release_package ON release (package, number);

CREATE TABLE stage (
  release TEXT COLLATE "C" NOT NULL REFERENCES release (id),
  "index" BIGINT NOT NULL, entered_ms BIGINT NOT NULL, left_ms BIGINT NOT NULL,
  planned BIGINT NOT NULL, approved BIGINT NOT NULL,
  PRIMARY KEY (release, "index")
);

CREATE TABLE exclusive (
  release TEXT COLLATE "C" NOT NULL REFERENCES release (id),
  path TEXT COLLATE "C" NOT NULL REFERENCES artefact (path),
  device TEXT COLLATE "C" NOT NULL REFERENCES device (id),
  PRIMARY KEY (release, path)
);

CREATE TABLE member (
  release TEXT COLLATE "C" NOT NULL REFERENCES release (id),
  device TEXT COLLATE "C" NOT NULL REFERENCES device (id),
  stage BIGINT NOT NULL, offered_ms BIGINT NOT NULL, outcome TEXT COLLATE "C" NOT NULL,
  overdue BIGINT NOT NULL, done BIGINT NOT NULL, back BIGINT NOT NULL,
  step TEXT COLLATE "C" NOT NULL, step_ms BIGINT NOT NULL, error_code BIGINT NOT NULL,
  error_text TEXT COLLATE "C" NOT NULL, os TEXT COLLATE "C" NOT NULL,
  app_version TEXT COLLATE "C" NOT NULL, device_class TEXT COLLATE "C" NOT NULL,
  bytes_pulled BIGINT NOT NULL, was_delta BIGINT NOT NULL, by_push BIGINT NOT NULL,
  control BIGINT NOT NULL DEFAULT 0, attempt BIGINT NOT NULL DEFAULT 0,
  told TEXT COLLATE "C" NOT NULL DEFAULT '', had_version TEXT COLLATE "C" NOT NULL DEFAULT '?',
  metrics TEXT COLLATE "C" NOT NULL DEFAULT '', "window" BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (release, device)
) WITH (fillfactor = 85);
CREATE INDEX member_device ON member (device);
CREATE INDEX member_away ON member (release) WHERE control = 0 AND (back = 0 OR done = 0);
CREATE INDEX member_outcome ON member (release, outcome)
  WHERE outcome IN ('failed', 'device_cause');
CREATE INDEX member_retry ON member (release, attempt, step_ms)
  WHERE outcome IN ('failed', 'device_cause') AND back = 0 AND done = 1;
CREATE INDEX member_control ON member (release, stage, offered_ms, device) WHERE control = 1;
CREATE INDEX member_window ON member (release, offered_ms, device) WHERE "window" = 0;
CREATE INDEX member_undecided ON member (release, step_ms, device)
  WHERE outcome = 'open' AND overdue = 0 AND step_ms > 0;

CREATE TABLE tally (
  release TEXT COLLATE "C" NOT NULL REFERENCES release (id),
  stage BIGINT NOT NULL, control BIGINT NOT NULL, slice TEXT COLLATE "C" NOT NULL,
  pending BIGINT NOT NULL, healthy BIGINT NOT NULL, failed BIGINT NOT NULL,
  overdue BIGINT NOT NULL, device_cause BIGINT NOT NULL, told_back BIGINT NOT NULL,
  returned BIGINT NOT NULL, first_ms BIGINT NOT NULL, closed BIGINT NOT NULL DEFAULT 0,
  closed_failed BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (release, stage, control, slice)
);

CREATE TABLE metric_tally (
  release TEXT COLLATE "C" NOT NULL REFERENCES release (id),
  stage BIGINT NOT NULL, control BIGINT NOT NULL, slice TEXT COLLATE "C" NOT NULL,
  metric TEXT COLLATE "C" NOT NULL, past BIGINT NOT NULL, within BIGINT NOT NULL,
  PRIMARY KEY (release, stage, control, slice, metric)
);

CREATE TABLE metric_baseline (
  release TEXT COLLATE "C" NOT NULL REFERENCES release (id),
  stage BIGINT NOT NULL, metric TEXT COLLATE "C" NOT NULL, threshold TEXT COLLATE "C" NOT NULL,
  after_ms BIGINT NOT NULL, fixed_ms BIGINT NOT NULL,
  PRIMARY KEY (release, stage, metric)
);

CREATE TABLE event (
  release TEXT COLLATE "C" NOT NULL REFERENCES release (id),
  seq BIGINT NOT NULL, time_ms BIGINT NOT NULL, kind TEXT COLLATE "C" NOT NULL,
  text TEXT COLLATE "C" NOT NULL, numbers TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (release, seq)
);

CREATE TABLE release_point (
  release TEXT COLLATE "C" NOT NULL REFERENCES release (id) ON DELETE CASCADE,
  time_ms BIGINT NOT NULL, members BIGINT NOT NULL, healthy BIGINT NOT NULL,
  failed BIGINT NOT NULL, back BIGINT NOT NULL, evidence TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (release, time_ms)
);

CREATE TABLE release_series (
  release TEXT COLLATE "C" PRIMARY KEY REFERENCES release (id) ON DELETE CASCADE,
  thinned BIGINT NOT NULL, step_ms BIGINT NOT NULL
);

CREATE TABLE pace (
  release TEXT COLLATE "C" PRIMARY KEY REFERENCES release (id),
  per_minute BIGINT NOT NULL, recent TEXT COLLATE "C" NOT NULL
);

CREATE TABLE campaign (
  id TEXT COLLATE "C" PRIMARY KEY,
  number BIGINT NOT NULL UNIQUE,
  name TEXT COLLATE "C" NOT NULL, spec_json TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL, reason TEXT COLLATE "C" NOT NULL,
  account TEXT COLLATE "C" NOT NULL, groups TEXT COLLATE "C" NOT NULL, created_ms BIGINT NOT NULL,
  releases TEXT COLLATE "C" NOT NULL, paused TEXT COLLATE "C" NOT NULL,
  back TEXT COLLATE "C" NOT NULL, row_version BIGINT NOT NULL, pending BIGINT NOT NULL,
  open BIGINT NOT NULL
);
CREATE INDEX campaign_open ON campaign (number) WHERE open = 1;

CREATE TABLE campaign_event (
  campaign TEXT COLLATE "C" NOT NULL REFERENCES campaign (id),
  seq BIGINT NOT NULL, time_ms BIGINT NOT NULL, kind TEXT COLLATE "C" NOT NULL,
  text TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (campaign, seq)
);

CREATE TABLE generation (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  value BIGINT NOT NULL
);

CREATE TABLE unused_content (
  sha256 TEXT COLLATE "C" PRIMARY KEY,
  since_ms BIGINT NOT NULL
);
INSERT INTO generation VALUES (1, 1);
)sql";

}  // namespace ferry::server
