// What triggers keep: sizes of streams, counts of profiles, the generation of what is published,
// and the queue of webhooks.

namespace ferry::server {

extern const char* const kMigration_p0005_triggers;
// Profiles are found by a hash, for their texts may be longer than a row of an index. 256 is
// kRowOverheadBytes of ingest/limits.h.
const char* const kMigration_p0005_triggers = R"sql(
CREATE FUNCTION ferry_record_added() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO record_size AS size VALUES (NEW.stream, NEW.device, 1,
    256 + octet_length(NEW.stream) + octet_length(NEW.json))
  ON CONFLICT (stream, device) DO UPDATE SET
    "rows" = size."rows" + 1, bytes = size.bytes + excluded.bytes;
  RETURN NULL;
END $$;
CREATE TRIGGER record_added AFTER INSERT ON record
  FOR EACH ROW EXECUTE FUNCTION ferry_record_added();
CREATE FUNCTION ferry_record_dropped() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  UPDATE record_size SET "rows" = "rows" - 1,
    bytes = bytes - 256 - octet_length(OLD.stream) - octet_length(OLD.json)
  WHERE stream = OLD.stream AND device = OLD.device;
  RETURN NULL;
END $$;
CREATE TRIGGER record_dropped AFTER DELETE ON record
  FOR EACH ROW EXECUTE FUNCTION ferry_record_dropped();

CREATE FUNCTION ferry_profile_key(d device) RETURNS BYTEA LANGUAGE sql IMMUTABLE AS $$
  SELECT sha256(convert_to(ROW(d.tenant, d.os, d.app_version, d.device_class, d.runtime_version,
    d.tags, d.operator_tags, d.extra, d.memory_bytes, d.isa, d.measured_class)::TEXT, 'UTF8'))
$$;
CREATE FUNCTION ferry_count_profile() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.blocked = 0 THEN
    UPDATE profile SET devices = devices - 1 WHERE key = ferry_profile_key(OLD);
    DELETE FROM profile WHERE key = ferry_profile_key(OLD) AND devices = 0;
  END IF;
  IF NEW.blocked = 0 THEN
    INSERT INTO profile AS known VALUES (NEW.tenant, NEW.os, NEW.app_version, NEW.device_class,
      NEW.runtime_version, NEW.tags, NEW.operator_tags, NEW.extra, NEW.memory_bytes, NEW.isa,
      NEW.measured_class, 1, ferry_profile_key(NEW))
    ON CONFLICT (key) DO UPDATE SET devices = known.devices + 1;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER device_came AFTER INSERT ON device
  FOR EACH ROW EXECUTE FUNCTION ferry_count_profile();
CREATE TRIGGER device_changed AFTER UPDATE OF blocked, tenant, os, app_version, device_class,
    runtime_version, tags, operator_tags, extra, memory_bytes, isa, measured_class ON device
  FOR EACH ROW WHEN (
    (NEW.blocked, NEW.tenant, NEW.os, NEW.app_version, NEW.device_class, NEW.runtime_version,
     NEW.tags, NEW.operator_tags, NEW.extra, NEW.memory_bytes, NEW.isa, NEW.measured_class)
    IS DISTINCT FROM
    (OLD.blocked, OLD.tenant, OLD.os, OLD.app_version, OLD.device_class, OLD.runtime_version,
     OLD.tags, OLD.operator_tags, OLD.extra, OLD.memory_bytes, OLD.isa, OLD.measured_class))
  EXECUTE FUNCTION ferry_count_profile();

CREATE FUNCTION ferry_published() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  UPDATE generation SET value = value + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER release_written AFTER INSERT OR UPDATE ON release
  FOR EACH ROW EXECUTE FUNCTION ferry_published();
CREATE TRIGGER artefact_written AFTER INSERT OR UPDATE ON artefact
  FOR EACH ROW EXECUTE FUNCTION ferry_published();
CREATE TRIGGER exclusive_came AFTER INSERT ON exclusive
  FOR EACH ROW EXECUTE FUNCTION ferry_published();
CREATE TRIGGER targets_came AFTER INSERT ON metadata
  FOR EACH ROW WHEN (NEW.role = 'targets') EXECUTE FUNCTION ferry_published();

CREATE FUNCTION ferry_pairs(VARIADIC texts TEXT[]) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
  SELECT string_agg(replace(COALESCE(text, ''), chr(31), ' '), chr(31) ORDER BY place)
  FROM unnest(texts) WITH ORDINALITY AS parts(text, place)
$$;
CREATE FUNCTION ferry_hook_event() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  about release%ROWTYPE;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM webhook) THEN RETURN NULL; END IF;
  SELECT * INTO about FROM release WHERE id = NEW.release;
  INSERT INTO webhook_event (time_ms, kind, body) VALUES (NEW.time_ms, 'release.' || NEW.kind,
    ferry_pairs('release', NEW.release, 'text', NEW.text, 'package', about.package,
      'version', about.version, 'state', about.state));
  RETURN NULL;
END $$;
CREATE TRIGGER webhook_of_event AFTER INSERT ON event
  FOR EACH ROW EXECUTE FUNCTION ferry_hook_event();
CREATE FUNCTION ferry_hook_campaign() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM webhook) THEN RETURN NULL; END IF;
  INSERT INTO webhook_event (time_ms, kind, body) VALUES (NEW.time_ms, 'campaign.' || NEW.kind,
    ferry_pairs('campaign', NEW.campaign, 'text', NEW.text,
      'state', (SELECT state FROM campaign WHERE id = NEW.campaign)));
  RETURN NULL;
END $$;
CREATE TRIGGER webhook_of_campaign AFTER INSERT ON campaign_event
  FOR EACH ROW EXECUTE FUNCTION ferry_hook_campaign();
CREATE FUNCTION ferry_hook_audit() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  kind TEXT := CASE
    WHEN NEW.outcome = 'asked' THEN 'approval.asked'
    WHEN NEW.action = 'POST /api/v1/packages' THEN 'package.published'
    WHEN NEW.action LIKE 'POST /api/v1/packages/%withdraw%' THEN 'package.withdrawn'
    WHEN NEW.action LIKE 'POST /api/v1/approvals/%approve' THEN 'approval.approved'
    WHEN NEW.action LIKE 'POST /api/v1/approvals/%reject' THEN 'approval.rejected'
    WHEN NEW.action LIKE '% /api/v1/users%' THEN 'user.changed'
    WHEN NEW.action LIKE 'ferry-server %' THEN 'server.command' END;
BEGIN
  IF kind IS NULL OR NOT EXISTS (SELECT 1 FROM webhook) THEN RETURN NULL; END IF;
  INSERT INTO webhook_event (time_ms, kind, body) VALUES (NEW.time_ms, kind,
    ferry_pairs('user', NEW."user", 'action', NEW.action, 'target', NEW.target,
      'package', NEW.package, 'reason', NEW.reason));
  RETURN NULL;
END $$;
CREATE TRIGGER webhook_of_audit AFTER INSERT ON audit
  FOR EACH ROW WHEN (NEW.outcome IN ('done', 'asked')) EXECUTE FUNCTION ferry_hook_audit();
)sql";

}  // namespace ferry::server
