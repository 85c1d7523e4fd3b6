// Users with roles, their tokens, approvals, and the log of who did what. The one operator that
// there was is the user "admin", with the password that stood. Triggers write names and values with
// the unit separator between them: functions for JSON are not trusted in a schema.

namespace ferry::server {

extern const char* const kMigration_m0010_operators;
const char* const kMigration_m0010_operators = R"sql(
CREATE TABLE account (
  name TEXT PRIMARY KEY NOT NULL,
  role TEXT NOT NULL,
  packages TEXT NOT NULL,
  device_groups TEXT NOT NULL,
  password TEXT NOT NULL,
  disabled INTEGER NOT NULL,
  created_ms INTEGER NOT NULL,
  row_version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO account VALUES ('admin', 'admin', '["*"]', '[]',
  ifnull((SELECT value FROM setting WHERE key = 'admin.password'), ''), 0, 0, 1);
DELETE FROM setting WHERE key = 'admin.password';
ALTER TABLE session ADD COLUMN account TEXT NOT NULL DEFAULT 'admin';
CREATE TABLE api_token (
  id TEXT PRIMARY KEY NOT NULL,
  token_sha256 TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL REFERENCES account (name),
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  packages TEXT NOT NULL,
  device_groups TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL,
  last_used_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE release_groups (
  release TEXT PRIMARY KEY NOT NULL,
  device_groups TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE approval (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account TEXT NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  body TEXT NOT NULL,
  body_sha256 TEXT NOT NULL,
  package TEXT NOT NULL,
  asked_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL,
  state TEXT NOT NULL,
  decided_by TEXT NOT NULL,
  decided_ms INTEGER NOT NULL,
  reason TEXT NOT NULL
) STRICT;
CREATE TABLE audit (
  seq INTEGER PRIMARY KEY,
  time_ms INTEGER NOT NULL,
  user TEXT NOT NULL,
  source TEXT NOT NULL,
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  package TEXT NOT NULL,
  outcome TEXT NOT NULL,
  reason TEXT NOT NULL,
  prev_hash TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE TABLE webhook (
  id TEXT PRIMARY KEY NOT NULL,
  url TEXT NOT NULL,
  events TEXT NOT NULL,
  secret TEXT NOT NULL,
  account TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  cursor INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  next_ms INTEGER NOT NULL,
  error TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE webhook_event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  time_ms INTEGER NOT NULL,
  kind TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE TABLE webhook_delivery (
  number INTEGER PRIMARY KEY,
  webhook TEXT NOT NULL,
  event INTEGER NOT NULL,
  kind TEXT NOT NULL,
  dead INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  status INTEGER NOT NULL,
  error TEXT NOT NULL,
  time_ms INTEGER NOT NULL
) STRICT;
CREATE TRIGGER webhook_of_event AFTER INSERT ON event WHEN EXISTS (SELECT 1 FROM webhook) BEGIN
  INSERT INTO webhook_event (time_ms, kind, body) VALUES (NEW.time_ms, 'release.' || NEW.kind,
    'release' || char(31) || NEW.release || char(31) || 'text' || char(31) ||
    replace(NEW.text, char(31), ' ') || char(31) || 'package' || char(31) ||
    ifnull((SELECT package FROM release WHERE id = NEW.release), '') || char(31) || 'version' ||
    char(31) || ifnull((SELECT version FROM release WHERE id = NEW.release), '') || char(31) ||
    'state' || char(31) || ifnull((SELECT state FROM release WHERE id = NEW.release), ''));
END;
CREATE TRIGGER webhook_of_audit AFTER INSERT ON audit
  WHEN NEW.outcome IN ('done', 'asked') AND EXISTS (SELECT 1 FROM webhook) BEGIN
  INSERT INTO webhook_event (time_ms, kind, body) SELECT NEW.time_ms, kind,
    'user' || char(31) || replace(NEW.user, char(31), ' ') || char(31) || 'action' || char(31) ||
    NEW.action || char(31) || 'target' || char(31) || replace(NEW.target, char(31), ' ') ||
    char(31) || 'package' || char(31) || replace(NEW.package, char(31), ' ') || char(31) ||
    'reason' || char(31) || replace(NEW.reason, char(31), ' ')
    FROM (SELECT CASE
      WHEN NEW.outcome = 'asked' THEN 'approval.asked'
      WHEN NEW.action = 'POST /api/v1/packages' THEN 'package.published'
      WHEN NEW.action LIKE 'POST /api/v1/packages/%withdraw%' THEN 'package.withdrawn'
      WHEN NEW.action LIKE 'POST /api/v1/approvals/%approve' THEN 'approval.approved'
      WHEN NEW.action LIKE 'POST /api/v1/approvals/%reject' THEN 'approval.rejected'
      WHEN NEW.action LIKE '% /api/v1/users%' THEN 'user.changed'
      WHEN NEW.action LIKE 'ferry-server %' THEN 'server.command' END AS kind)
    WHERE kind IS NOT NULL;
END;
)sql";

}  // namespace ferry::server
