"""ferry doctor: this machine, a real server, and what goes wrong with either; what an error of the connection says next."""
import base64
import json
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import fixture  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Cloud  # noqa: E402

BIN = fixture.PROGRAM.parent


class DoctorTest(fixture.CliTest):
    def doctor(self, *options, **environment):
        done = self.ferry("doctor", *options, "--json", **environment)
        checks = {check["name"]: check for check in done.json()["checks"]}
        for check in checks.values():
            self.assertEqual(set(check), {"name", "ok", "text", "remedy"})
            self.assertEqual(bool(check["remedy"]), not check["ok"], check)
            self.assertTrue(check["text"])
        self.assertEqual(done.status, 0 if all(check["ok"] for check in checks.values()) else 1)
        return checks

    def test_this_machine(self):
        checks = self.doctor()
        for name in ("programs", "instruction set", "libraries", "state folder", "disk", "server"):
            self.assertTrue(checks[name]["ok"], checks[name])
        self.assertIn("OpenSSL 3", checks["libraries"]["text"])
        self.assertFalse(self.doctor(FERRY_ISA="z80")["instruction set"]["ok"])
        login = self.folder / "login.json"
        login.write_text('{"server": "http://127.0.0.1:1", "token": "t"}')
        login.chmod(0o644)
        found = self.doctor()
        self.assertIn("chmod 600", found["state folder"]["remedy"])
        self.assertIn("ferry-server run", found["server"]["remedy"])
        text = self.ferry("doctor").out
        self.assertRegex(text, r"(?m)^FAIL state folder .*\n +-> chmod 600")

    def test_a_server_of_its_own(self):
        cloud = Cloud(BIN, self.folder)
        self.addCleanup(cloud.server.stop)
        here = {"FERRY_SERVER": cloud.server.url, "FERRY_TOKEN": cloud.server.api.token}
        checks = self.doctor(**here)
        for name in ("server", "trust", "clock", "login", "expiry"):
            self.assertTrue(checks[name]["ok"], checks)
        self.assertIn("first: ", checks["expiry"]["text"])
        self.assertIn("ferry login", self.doctor(FERRY_SERVER=cloud.server.url)["login"]["remedy"])
        # A clock that is wrong; a server that is down.
        self.assertFalse(self.doctor(**here)["clock"]["text"].startswith("600"))
        ahead = subprocess.run(["faketime", "-f", "+10m", BIN / "ferry", "doctor", "--json"], capture_output=True, text=True,
                               env={**self.environment, **here}, timeout=60)
        clock = next(check for check in json.loads(ahead.stdout)["checks"] if check["name"] == "clock")
        self.assertFalse(clock["ok"])
        self.assertRegex(clock["text"], "(600|599|601) s ahead of")
        cloud.server.stop()
        self.assertIn("ferry-server run", self.doctor(**here)["server"]["remedy"])

    def test_what_a_stand_in_says(self):
        server = self.serve()
        soon = {"version": "1", "devices": 0, "expires": [{"what": "metadata root", "expires_ms": 1_800_000_000_000, "state": "urgent"}]}
        server.answers["GET /status"] = 200, soon
        checks = self.doctor()
        self.assertIn("metadata root 2027-01-15", checks["expiry"]["text"])
        self.assertIn("ferry keys refresh", checks["expiry"]["remedy"])
        self.assertIn("ferry keys init", checks["root"]["remedy"])
        # Where devices come in, as the root says.
        here = server.url.removeprefix("http://")
        root = json.dumps({"signed": {"line": {"addresses": [here, "127.0.0.1:1"]}}}).encode()
        server.answers["GET /metadata/root"] = 200, {"version": 1, "document": base64.b64encode(root).decode()}
        ports = [check for check in self.ferry("doctor", "--json").json()["checks"] if check["name"] == "device port"]
        self.assertEqual([check["ok"] for check in ports], [True, False])
        self.assertIn("127.0.0.1:1", ports[1]["text"])

    def test_errors_of_the_connection_say_what_next(self):
        said = self.bad("unavailable", "device", "list", "--server", "http://127.0.0.1:1")
        for part in ("http://127.0.0.1:1", "is the server up", "ferry doctor --server http://127.0.0.1:1"):
            self.assertIn(part, said)
        plain = self.serve()
        said = self.bad("unavailable", "status", "--server", plain.url.replace("http:", "https:"))
        self.assertIn("is the URL one of http://", said)


if __name__ == "__main__":
    unittest.main()
