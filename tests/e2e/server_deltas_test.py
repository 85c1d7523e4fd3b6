"""The real programs: a publisher sends full packages alone, and a device pulls the delta that the server made."""
import json
import os
import pathlib
import random
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Cloud, Device, wait_for  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))
TASK = {"name": "tuned", "script": "task.py", "entry": "on_trigger", "trigger": {"sequence": [{"event": "tick"}]},
        "resources": ["weights.bin"]}
SCRIPT = "def on_trigger(matched):\n    return {'number': matched[-1]['data']['number']}\n"
STAGES = [{"kind": "full", "min_reports": 1, "min_healthy_ms": 100}]
WEIGHTS = 300_000


class ServerDeltasTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-server-deltas-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cloud = Cloud(BIN, self.folder)
        self.server = self.cloud.server
        self.addCleanup(self.server.stop)
        self.device = Device(BIN, self.folder / "device", "device", {"os": "linux", "app_version": "1.0.0"}, poll_seconds=1)
        self.addCleanup(self.device.stop)
        self.device.start(join=self.server.api.post("/join-tokens", {"uses": 1, "valid_ms": 600_000})["token"])
        self.device.wait_enrolled()

    def publish(self, version, weights):
        folder = self.folder / f"task-{version}"
        folder.mkdir()
        (folder / "task.json").write_text(json.dumps({**TASK, "version": version}))
        (folder / "task.py").write_text(SCRIPT)
        (folder / "weights.bin").write_bytes(weights)
        self.cloud.cli("pack", folder, "-o", self.folder / f"{version}.fpk")
        self.cloud.cli("publish", self.folder / f"{version}.fpk", "--dir", self.cloud.publisher)

    def release(self, version):
        stages = self.folder / "stages.json"
        stages.write_text(json.dumps(STAGES))
        release = self.cloud.cli("release", "start", "--package", "tuned", "--version", version, "--rule", 'os == "linux"',
                                 "--stages", stages)["id"]
        wait_for(f"the device to run {version}",
                 lambda: self.device.status().get("packages", {}).get("tuned", {}).get("version") == version)
        return release

    def artefacts(self, version):
        return {row["path"]: row for row in self.server.api.get(f"/packages/tuned/{version}")["artefacts"]}

    def test_the_device_pulls_what_the_server_made(self):
        rng = random.Random(1)
        weights = bytearray(rng.randbytes(WEIGHTS))
        self.publish("1.0.0", weights)
        self.release("1.0.0")
        for at in range(0, WEIGHTS, 5):
            weights[at] = (weights[at] + rng.choice((-1, 1))) % 256
        self.publish("2.0.0", weights)
        path = "tuned/2.0.0/made-delta-from-1.0.0"
        made = wait_for("the delta to be made", lambda: self.artefacts("2.0.0").get(path))
        full = self.artefacts("2.0.0")["tuned/2.0.0/full"]
        self.assertLess(made["length"] * 5, full["length"])
        # It is there after a restart, and nothing signed names it.
        self.server.stop()
        self.server.start()
        self.assertEqual(self.artefacts("2.0.0")[path], made)
        self.assertNotIn("made", (self.cloud.publisher / "targets.json").read_text())
        release = self.release("2.0.0")
        [member] = wait_for("the member's answer", lambda: [
            row for row in self.server.api.get(f"/releases/{release}/members")["members"] if row["step"] in ("confirmed", "healthy")])
        self.assertTrue(member["was_delta"])
        self.assertEqual(member["bytes_pulled"], made["length"])


if __name__ == "__main__":
    unittest.main()
