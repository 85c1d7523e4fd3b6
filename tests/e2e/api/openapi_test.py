"""The OpenAPI document is true: every route of it is called, by hand or by the command line, and every answer is held against it."""
import base64
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import re
import struct
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools/demo"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from fleet import Cli, Cloud, Device, wait_for  # noqa: E402
from json_schema import Schemas  # noqa: E402
from recorder import Recorder  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))
SCRIPT = """from ferry import events


def on_visit(matched):
    events.emit("visits", {"image": matched[-1]["data"]["image"], "digit": 7})
    return {}
"""
TASK = {"name": "visits", "script": "task.py", "entry": "on_visit", "trigger": {"sequence": [{"event": "visit"}]},
        "streams": [{"name": "rows", "source": "visits", "upload": True}]}
# The stream of live events has no end.
NEVER_ENDS = {"GET /api/v1/live"}


def code_of(secret):
    """The code of now (RFC 6238: SHA-1, 30 s, six digits)."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.new(key, struct.pack(">Q", int(time.time()) // 30), hashlib.sha1).digest()
    at = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[at:at + 4])[0] & 0x7fffffff) % 1_000_000:06}"


class Pattern:
    """A path of the document: whether it fits the path of a call."""

    def __init__(self, path):
        self.text = path
        self.regex = re.compile(re.sub(r"\\{[a-z0-9_]+\\}", "[^/]+", re.escape(path)) + "$")
        self.names = path.count("{")


class OpenApiTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ferry-openapi-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.cloud = Cloud(BIN, cls.folder)
        cls.server = cls.cloud.server
        cls.addClassCleanup(cls.server.stop)
        cls.recorder = Recorder(cls.server.admin_port)
        cls.addClassCleanup(cls.recorder.close)
        cls.cli = Cli(BIN, {"FERRY_SERVER": cls.recorder.url, "FERRY_TOKEN": cls.server.api.token})
        cls.document = cls.server.api.get("/openapi.json")

    def call(self, method, path, body=None, status=200, token=None):
        """One call through the recorder; the answer."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(self.recorder.url + path, data=data, method=method)
        request.add_header("Authorization", f"Bearer {token or self.server.api.token}")
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                found, text = response.status, response.read()
        except urllib.error.HTTPError as error:
            found, text = error.code, error.read()
        self.assertEqual(found, status, f"{method} {path}: {text[:500]}")
        return json.loads(text) if text.startswith(b"{") else text

    def publish(self, version):
        task = self.folder / f"visits-{version}"
        task.mkdir()
        (task / "task.py").write_text(SCRIPT)
        (task / "net.onnx").write_bytes((ROOT / "tasks/digits/digits.onnx").read_bytes())
        (task / "task.json").write_text(json.dumps({**TASK, "version": version, "models": {"net": "net.onnx"}}))
        self.cli("pack", task, "-o", task / "visits.fpk")
        self.cli("publish", task / "visits.fpk", "--dir", self.cloud.publisher)

    def test_every_route_answers_as_the_document_says(self):
        self.use_packages()
        device = self.use_devices()
        self.use_releases(device)
        self.use_groups(device)
        self.use_users()
        self.use_rest(device)
        self.check_exchanges()

    def use_packages(self):
        self.publish("1.0.0")
        self.publish("1.1.0")
        self.publish("1.2.0")
        self.cli("package", "withdraw", "visits", "1.2.0", "--dir", self.cloud.publisher, "--reason", "a mistake")
        self.cli("keys", "upload", "--dir", self.cloud.publisher)
        self.call("GET", "/api/v1/packages")
        path = self.call("GET", "/api/v1/packages/visits/1.0.0")["artefacts"][0]["path"]
        contents = self.call("GET", "/api/v1/packages/visits/1.0.0/contents")
        self.assertEqual([item["path"] for item in contents["files"]], ["net.fm", "task.fbc"])
        self.call("GET", "/api/v1/packages/visits/1.0.0/contents/task.fbc")
        self.call("GET", "/api/v1/packages/visits/1.0.0/contents/none.txt", status=404)
        self.call("GET", "/api/v1/packages/visits/1.0.0/graph")
        self.call("GET", "/api/v1/packages/visits/1.0.0/graph?model=none.fm", status=404)
        self.call("GET", f"/tuf/targets/{path}")
        self.call("GET", "/tuf/targets/visits/1.0.0/exclusive/x.json", status=404)
        self.call("GET", "/tuf/metadata/timestamp.json")
        self.call("GET", "/api/v1/metadata/root")
        self.call("PUT", "/api/v1/metadata/root", {"document": "bm9uZQ=="}, status=400)
        self.call("GET", "/api/v1/online-keys")
        self.call("GET", "/api/v1/tasks")
        self.call("GET", "/api/v1/tasks/visits/log")
        self.use_drafts()
        sha256 = self.call("GET", "/api/v1/packages/visits/1.0.0")["artefacts"][0]["sha256"]
        self.call("GET", f"/api/v1/content/{sha256}")
        self.call("POST", "/api/v1/collect", {"dry_run": True})

    def use_drafts(self):
        draft = {"base": "1.0.0", "version": "1.0.9", "files": {"task.py": SCRIPT.replace("    events", "    print(1)\n    events")},
                 "cases": [{"name": "one", "events": [{"id": "visit", "page": "p", "data": {"image": 1}}], "any": True}]}
        report = self.call("POST", "/api/v1/tasks/try", {"package": "visits", **draft})
        self.assertTrue(report["passed"], report)
        self.assertEqual(report["details"][0]["printed"], "1\n")
        broken = self.call("POST", "/api/v1/tasks/try", {"package": "visits", "base": "1.0.0", "files": {"task.py": "def on_visit(:\n"}})
        self.assertFalse(broken["passed"])
        self.assertRegex(broken["error"], r"task\.py.*1")
        self.call("POST", "/api/v1/tasks/try", {"package": "visits", "base": "1.0.0", "files": {"../x": ""}}, status=400)
        package = self.folder / "visits-1.0.9.fpk"
        package.write_bytes(self.call("POST", "/api/v1/tasks/visits/draft", draft))
        self.cli("publish", package, "--dir", self.cloud.publisher)
        self.call("GET", "/api/v1/packages/visits/1.0.9")
        self.cli("package", "withdraw", "visits", "1.0.9", "--dir", self.cloud.publisher, "--reason", "only a draft")

    def use_devices(self):
        token = self.call("POST", "/api/v1/join-tokens", {"uses": 2, "tags": ["eu"]})["token"]
        self.call("GET", "/api/v1/join-tokens")
        device = Device(BIN, self.folder / "one", "one", {"os": "linux", "app_version": "1.0.0", "tags": ["beta"]})
        device.start(token)
        self.addCleanup(device.stop)
        device.wait_enrolled()
        self.call("GET", "/api/v1/devices?limit=1&sort=-last_seen_ms&total=1")
        self.call("GET", "/api/v1/fleet/days?days=7")
        self.call("GET", "/api/v1/fleet/days?days=0", status=400)
        self.call("GET", "/api/v1/fleet/use?days=7")
        self.assertEqual(self.call("POST", "/api/v1/have", {"texts": ["have1.00", ""]}), {"texts": ["", ""]})
        self.call("POST", "/api/v1/have", {"texts": [""] * 1001}, status=413)
        self.call("GET", "/healthz")
        self.call("GET", "/readyz")
        self.call("GET", "/api/v1/fleet/use?days=401", status=400)
        self.call("GET", "/api/v1/devices/facets?filter=os+%3D%3D+%22linux%22")
        self.call("PUT", f"/api/v1/devices/{device.id}/tags", {"tags": ["eu", "lab"]})
        self.call("GET", f"/api/v1/devices/{device.id}/tags")
        self.call("POST", f"/api/v1/devices/{device.id}/block", {"blocked": False})
        done = self.call("POST", "/api/v1/devices/bulk", {"filter": "all", "action": "tag", "tag": "spring"})
        self.call("POST", f"/api/v1/devices/bulk/{done['undo']}/undo")
        self.call("POST", "/api/v1/devices/bulk", {"filter": "os =", "action": "poll"}, status=400)
        return device

    def use_releases(self, device):
        stages = [{"kind": "beta", "who": "tag(\"beta\")", "name": "first", "min_reports": 1}, {"kind": "full", "hold": True}]
        self.call("GET", "/api/v1/releases/default-plan")
        self.call("POST", "/api/v1/releases/preview?limit=1", {"rule": "os == \"linux\" and percent(50)", "stages": stages})
        release = self.call("POST", "/api/v1/releases", {"package": "visits", "version": "1.0.0", "stages": stages})["id"]
        path = f"/api/v1/releases/{release}"
        self.call("POST", f"{path}/start")
        wait_for("the device to run it", lambda: "visits" in device.status().get("packages", {}))
        wait_for("the server to hear of it", lambda: self.server.api.get(f"/releases/{release}")["counts"]["healthy"])
        self.call("POST", f"{path}/pause", {"why": "lunch"})
        self.call("POST", f"{path}/resume")
        wait_for("the held stage", lambda: self.server.api.get(f"/releases/{release}")["stage_kind"] == "full")
        self.call("POST", f"{path}/promote", {"why": "good"})
        for route in (path, f"{path}/members", f"{path}/series", "/api/v1/releases", f"/api/v1/devices/{device.id}",
                      f"/api/v1/devices/{device.id}/why"):
            self.call("GET", route)
        self.call("POST", f"{path}/retry", {})
        self.use_rows(device)
        other = self.call("POST", "/api/v1/releases", {"package": "visits", "version": "1.1.0", "start": True, "rate": {"per_minute": 5},
                                                       "stages": [{"kind": "beta", "who": "tag(\"none\")", "hold": True}, {"kind": "full"}]})["id"]
        self.call("POST", f"/api/v1/releases/{other}/approve", {"why": "seen"})
        self.call("POST", f"/api/v1/releases/{other}/approve", status=409)
        self.call("GET", f"/api/v1/releases/{other}")
        self.call("POST", f"/api/v1/releases/{other}/halt", {"why": "no"})
        self.call("POST", f"/api/v1/releases/{release}/kill", {}, status=200)
        self.call("POST", f"/api/v1/releases/{release}/rollback", {"why": "over"})
        self.use_campaigns()

    def use_campaigns(self):
        campaign = self.call("POST", "/api/v1/campaigns", {
            "name": "autumn", "start": "2096-12-01T02:00:00Z", "retries": {"count": 1, "backoff_ms": 1000}, "why": "yearly",
            "releases": [{"package": "visits", "version": "1.1.0", "rule": "os == \"linux\""}]})["id"]
        path = f"/api/v1/campaigns/{campaign}"
        self.call("GET", "/api/v1/campaigns")
        self.call("GET", path)
        for order, status in (("pause", 200), ("resume", 200), ("retry", 409), ("halt", 200), ("rollback", 200), ("kill", 409)):
            self.call("POST", f"{path}/{order}", {"why": "so"}, status=status)

    def use_rows(self, device):
        device.send([json.dumps({"id": "visit", "page": "p", "data": {"image": 1}})])
        wait_for("the row", lambda: self.server.api.get("/streams")["streams"])
        self.call("PUT", "/api/v1/labels/truth", {"labels": {"1": "7", "2": 3}})
        self.call("GET", "/api/v1/streams")
        self.call("GET", "/api/v1/streams/rows?limit=5")
        self.call("GET", "/api/v1/accuracy?set=truth&stream=rows")
        self.call("GET", f"/api/v1/losses?device={device.id}")
        self.call("GET", "/api/v1/refusals")
        gain = self.folder / "gain.json"
        gain.write_text("1.5")
        self.cli("keys", "personal", "--dir", self.cloud.publisher, "--package", "visits", "--max-bytes", "1000")
        self.cli("file", "put", "--package", "visits", "--device", device.id, gain)
        self.call("GET", "/api/v1/personal?package=visits")
        self.call("POST", f"/api/v1/devices/{device.id}/erase")
        self.call("GET", f"/api/v1/devices/{device.id}/erasures")
        self.call("POST", f"/api/v1/devices/{device.id}/new-keys")
        self.call("POST", "/api/v1/new-device-keys")
        self.call("GET", "/api/v1/new-device-keys")

    def use_groups(self, device):
        self.call("POST", "/api/v1/groups", {"name": "staff", "devices": [device.id]})
        self.call("POST", "/api/v1/groups", {"name": "linux", "rule": "os == \"linux\""})
        self.call("PUT", "/api/v1/groups/linux", {"rule": "os in (\"linux\")"})
        self.call("POST", "/api/v1/groups/staff/devices", {"remove": [device.id]})
        for path in ("", "/staff", "/linux"):
            self.call("GET", f"/api/v1/groups{path}")
        self.call("DELETE", "/api/v1/groups/staff")

    def use_users(self):
        self.call("POST", "/api/v1/users", {"name": "vera", "role": "releaser", "groups": ["eu"]})
        self.use_second_factor(self.call("PUT", "/api/v1/users/vera/password", {})["password"])
        self.call("PUT", "/api/v1/users/vera/searches/phones", {"filter": "os == \"android\""})
        self.call("GET", "/api/v1/users/vera/searches")
        self.call("DELETE", "/api/v1/users/vera/searches/phones")
        self.call("PUT", "/api/v1/users/vera", {"role": "admin", "groups": []})
        token = self.call("POST", "/api/v1/users/vera/tokens", {"name": "ci", "role": "admin"})
        self.call("PUT", "/api/v1/approval-policy", {"packages": ["visits"]})
        self.call("GET", "/api/v1/approval-policy")
        for path in ("users", "users/vera", "users/vera/tokens", "me", "openapi.json"):
            self.call("GET", f"/api/v1/{path}")
        asked = [self.call("POST", "/api/v1/campaigns", {"name": name, "start": "2096-12-01T02:00:00Z", "releases": [
            {"package": "visits", "version": "1.1.0"}]}, status=409)["approval"] for name in ("a", "b")]
        self.call("GET", "/api/v1/approvals")
        self.call("POST", f"/api/v1/approvals/{asked[0]}/approve", {"why": "yes"}, token=token["token"])
        self.call("POST", f"/api/v1/approvals/{asked[1]}/reject", {"why": "no"}, token=token["token"])
        self.call("GET", f"/api/v1/approvals/{asked[0]}")
        self.call("DELETE", f"/api/v1/users/vera/tokens/{token['id']}")
        self.call("DELETE", "/api/v1/users/vera")

    def use_second_factor(self, password):
        token = self.call("POST", "/api/v1/login", {"user": "vera", "password": password})["token"]
        secret = self.call("POST", "/api/v1/users/vera/totp", {}, token=token)["secret"]
        self.call("PUT", "/api/v1/users/vera/totp", {"code": code_of(secret)}, token=token)
        self.call("POST", "/api/v1/login", {"user": "vera", "password": password}, status=401)
        self.call("DELETE", "/api/v1/users/vera/totp")
        cookie = self.call("POST", "/api/v1/login", {"user": "vera", "password": password, "cookie": True})
        self.assertIn("csrf", cookie)
        self.call("GET", "/api/v1/session", token=token)
        others = [row for row in self.call("GET", "/api/v1/sessions", token=token)["sessions"] if not row["own"]]
        self.call("DELETE", f"/api/v1/sessions/{others[0]['id']}", token=token)

    def use_rest(self, device):
        hook = self.call("POST", "/api/v1/webhooks", {"url": "https://127.0.0.1:1/x", "secret": "s" * 16, "events": ["release.*"]})
        self.call("POST", f"/api/v1/webhooks/{hook['id']}/replay", {"since_ms": 0})
        self.call("GET", f"/api/v1/webhooks/{hook['id']}/deliveries")
        self.call("GET", "/api/v1/webhooks")
        self.call("DELETE", f"/api/v1/webhooks/{hook['id']}")
        for path in ("status", "verify/targets", "verify/sessions", "audit?limit=3", "audit?user=vera", "audit/verify"):
            self.call("GET", f"/api/v1/{path}")
        self.call("GET", "/metrics")
        self.call("GET", "/api/v1/oidc?refused=role")
        self.call("GET", "/api/v1/oidc/start", status=404)
        self.call("GET", "/api/v1/oidc/return?code=a&state=b", status=404)
        self.call("GET", "/api/v1/devices/nobody", status=404)
        login = self.call("POST", "/api/v1/login", {"password": self.server.password})
        self.call("POST", "/api/v1/logout", token=login["token"])

    def check_exchanges(self):
        schemas = Schemas(self.document)
        patterns = sorted((Pattern(path) for path in self.document["paths"]), key=lambda pattern: pattern.names)
        called, wrong = set(), []
        for exchange in self.recorder.exchanges:
            fits = [pattern.text for pattern in patterns if pattern.regex.match(exchange.path)
                    and exchange.method.lower() in self.document["paths"][pattern.text]]
            if not fits:
                wrong.append(f"{exchange.method} {exchange.path} is in no path of the document")
                continue
            route = f"{exchange.method} {fits[0]}"
            called.add(route)
            responses = self.document["paths"][fits[0]][exchange.method.lower()]["responses"]
            content = responses["200"]["content"] if exchange.status == 200 else \
                self.document["components"]["responses"]["Error"]["content"]
            if exchange.content_type not in content:
                wrong.append(f"{route}: {exchange.content_type} is none of {sorted(content)}")
            elif exchange.content_type == "application/json":
                answer = json.loads(exchange.body)
                wrong += [f"{route} ({exchange.status}): {error}" for error in
                          schemas.errors(answer, content["application/json"]["schema"])]
        every = {f"{method.upper()} {path}" for path, methods in self.document["paths"].items() for method in methods}
        self.assertEqual(sorted(set(wrong)), [])
        self.assertEqual(sorted(every - called - NEVER_ENDS), [], "called by nobody")
        self.assertGreater(len(every), 80)

    def test_live_speaks_as_the_document_says(self):
        media = self.document["paths"]["/api/v1/live"]["get"]["responses"]["200"]["content"]
        live = http.client.HTTPConnection("127.0.0.1", self.server.admin_port, timeout=20)
        self.addCleanup(live.close)
        live.request("GET", "/api/v1/live", headers={"Authorization": f"Bearer {self.server.api.token}"})
        answer = live.getresponse()
        self.assertEqual(answer.status, 200)
        self.assertIn(answer.getheader("Content-Type"), media)

    def test_the_validator_finds_what_is_wrong(self):
        schemas = Schemas(self.document)
        user = {"$ref": "#/components/schemas/User"}
        good = {"name": "vera", "role": "admin", "packages": ["*"], "groups": [], "disabled": False, "created_ms": 1,
                "totp": False, "oidc": False}
        self.assertEqual(schemas.errors(good, user), [])
        for change, error in (({"role": "boss"}, "is none of"), ({"created_ms": "1"}, "is no integer"), ({"more": 1}, "does not know it"),
                              ({"packages": [1]}, "is no string"), ({"disabled": 1}, "is no boolean")):
            self.assertRegex(" ".join(schemas.errors({**good, **change}, user)), error)
        self.assertRegex(" ".join(schemas.errors({}, user)), "name is missing")


if __name__ == "__main__":
    unittest.main()
