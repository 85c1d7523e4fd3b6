// Campaigns, rates of releases, retries, and what devices say of conditions and their zone.

namespace ferry::server {

extern const char* const kMigration_m0014_campaigns;
// -10000: no offset is known.
const char* const kMigration_m0014_campaigns = R"sql(
ALTER TABLE device ADD COLUMN reads_when INTEGER NOT NULL DEFAULT 0;
ALTER TABLE device ADD COLUMN utc_offset_minutes INTEGER NOT NULL DEFAULT -10000;

CREATE INDEX member_retry ON member (release, attempt, step_ms)
  WHERE outcome IN ('failed', 'device_cause') AND back = 0 AND done = 1;

CREATE TABLE pace (
  release TEXT PRIMARY KEY NOT NULL REFERENCES release (id),
  per_minute INTEGER NOT NULL,
  recent TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE campaign (
  id TEXT PRIMARY KEY NOT NULL,
  number INTEGER NOT NULL UNIQUE,
  name TEXT NOT NULL,
  spec_json TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  account TEXT NOT NULL,
  groups TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  releases TEXT NOT NULL,
  paused TEXT NOT NULL,
  back TEXT NOT NULL,
  row_version INTEGER NOT NULL,
  pending INTEGER NOT NULL,
  open INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX campaign_open ON campaign (number) WHERE open = 1;

CREATE TABLE campaign_event (
  campaign TEXT NOT NULL REFERENCES campaign (id),
  seq INTEGER NOT NULL,
  time_ms INTEGER NOT NULL,
  kind TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (campaign, seq)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER webhook_of_campaign AFTER INSERT ON campaign_event
  WHEN EXISTS (SELECT 1 FROM webhook) BEGIN
  INSERT INTO webhook_event (time_ms, kind, body) VALUES (NEW.time_ms, 'campaign.' || NEW.kind,
    'campaign' || char(31) || NEW.campaign || char(31) || 'text' || char(31) ||
    replace(NEW.text, char(31), ' ') || char(31) || 'state' || char(31) ||
    ifnull((SELECT state FROM campaign WHERE id = NEW.campaign), ''));
END;
)sql";

}  // namespace ferry::server
