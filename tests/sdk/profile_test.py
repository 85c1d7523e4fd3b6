"""A device that is started again and says nothing is still what it was told to be; the runtime says the rest."""
import json
import os
import pathlib
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Cloud, Process, wait_for  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))
SAID = {"os": "android", "app_version": "1.2.0", "device_class": "high", "tags": ["beta"], "user": {"plan": "pro"}}


class ProfileTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-profile-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cloud = Cloud(BIN, self.folder)
        self.addCleanup(self.cloud.server.stop)
        self.api = self.cloud.server.api

    def run_device(self, *options):
        """Starts the device, waits for its login, stops it; gives what the server then knows of it."""
        # The end of the run before may be told late.
        time.sleep(1)
        known = self.api.get("/devices")["devices"]
        seen = known[0]["last_seen_ms"] if known else 0
        device = Process([BIN / "ferry-device", "run", "--dir", self.folder / "state", *options], self.folder / "device.log")
        try:
            wait_for("the login", lambda: [row for row in self.api.get("/devices")["devices"] if row["last_seen_ms"] > seen and row["isa"]], 30)
        finally:
            device.stop()
        row, = self.api.get("/devices")["devices"]
        return {key: row[key] for key in SAID}, row

    def token(self):
        return self.api.post("/join-tokens", {"uses": 1})["token"]

    def test_nothing_said_keeps_what_was_said(self):
        profile = self.folder / "said.json"
        profile.write_text(json.dumps(SAID))
        self.assertEqual(self.run_device("--join", self.token(), "--profile", profile)[0], SAID)
        self.assertEqual(self.run_device()[0], SAID)
        # Other keys, and a server that has to be joined again, change nothing of it.
        device, = self.api.get("/devices")["devices"]
        self.api.post(f"/devices/{device['id']}/new-keys", {})
        self.assertEqual(self.run_device()[0], SAID)
        self.assertEqual(self.run_device("--user", "plan=free")[0], {**SAID, "user": {"plan": "free"}})
        self.assertEqual(self.run_device()[0], {**SAID, "user": {"plan": "free"}})
        profile.write_text("{}")
        self.assertEqual(self.run_device("--profile", profile)[0]["tags"], [])
        self.assertEqual(self.run_device()[0]["tags"], [])

    def test_the_runtime_says_what_the_app_does_not(self):
        _, row = self.run_device("--join", self.token())
        self.assertEqual(row["os"], "linux")
        self.assertTrue({"x86_64", "arm64"} & set(row["isa"]), row)
        self.assertGreater(row["memory_bytes"], 1 << 20)


if __name__ == "__main__":
    unittest.main(verbosity=2)
