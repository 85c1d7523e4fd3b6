"""Numbers that a task gives to ferry.metrics stop a release: measured on the device, judged by the gates of the server."""
import json
import os
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/demo")]
from fleet import Cloud, Device, wait_for  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))
TASK = {"name": "scores", "script": "task.py", "entry": "on_trigger", "trigger": {"sequence": [{"event": "tick"}]}}
SCRIPT = """from ferry import metrics


def on_trigger(matched):
    metrics.gauge("score", {score})
    metrics.observe("steps", 2)
    metrics.observe("steps", 4)
    return 1
"""
STAGES = [{"kind": "full", "min_reports": 1, "min_healthy_ms": 2_000}]
# One device is all there is: next to none may be past the limit.
GATES = {"metrics": [{"name": "score", "worse": "lower", "limit": 0.5, "tolerated_rate": 0.0001}]}


class MetricGateTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.cloud = Cloud(BIN, self.folder)
        self.addCleanup(self.cloud.server.stop)
        self.device = Device(BIN, self.folder / "device", "device", {"os": "linux", "app_version": "1.0.0"}, poll_seconds=1,
                             options=["--measure-seconds", "0.3"])
        self.addCleanup(self.device.stop)
        self.device.start(join=self.cloud.server.api.post("/join-tokens", {"uses": 1, "valid_ms": 600_000})["token"])
        self.device.wait_enrolled()

    def release(self, version, score, fallback=None):
        folder = self.folder / version
        folder.mkdir()
        (folder / "task.json").write_text(json.dumps({**TASK, "version": version}))
        (folder / "task.py").write_text(SCRIPT.format(score=score))
        package = self.folder / f"{version}.fpk"
        self.cloud.cli("pack", folder, "-o", package)
        self.cloud.cli("publish", package, "--dir", self.cloud.publisher, *(["--fallback", fallback] if fallback else []))
        for name, value in (("stages", STAGES), ("gates", GATES)):
            (self.folder / f"{name}.json").write_text(json.dumps(value))
        return self.cloud.cli("release", "start", "--package", TASK["name"], "--version", version, "--rule", 'os == "linux"',
                              "--stages", self.folder / "stages.json", "--gate", self.folder / "gates.json")["id"]

    def runs(self):
        return self.device.status().get("packages", {}).get(TASK["name"], {}).get("version")

    def show(self, release):
        return self.cloud.cli("release", "show", release)

    def measured(self, release):
        return [member["metrics"] for member in self.show(release)["members"] if member["metrics"]]

    def run_version(self, version):
        wait_for(f"the device to run {version}", lambda: self.runs() == version, 60)
        # The window of measurement begins with the first run, and leaves it out.
        self.device.send([json.dumps({"id": "tick", "data": {}})] * 2)

    def test_a_bad_score_stops_the_release_and_a_good_one_does_not(self):
        good = self.release("1.0.0", 0.9)
        self.run_version("1.0.0")
        metrics = wait_for("a measurement", lambda: self.measured(good), 60)[0]
        self.assertEqual((metrics["score"], metrics["steps"], metrics["error_rate"]), (0.9, 3, 0))
        self.assertGreater(metrics["memory_bytes"], 1 << 20)
        self.assertGreater(metrics["latency_ms"], 0)
        wait_for("the release to be complete", lambda: self.show(good)["state"] == "complete", 60)

        bad = self.release("1.1.0", 0.1, fallback="1.0.0")
        self.run_version("1.1.0")
        wait_for("the device to be sent back", lambda: self.runs() == "1.0.0", 60)
        shown = self.show(bad)
        self.assertIn(shown["state"], ("rolling_back", "rolled_back"))
        self.assertIn("score", shown["reason"])
        gate = [row for row in shown["gates"] if row["metric"] == "score" and row["slice"] == "all"][0]
        self.assertEqual((gate["decision"], gate["failed"], gate["healthy"]), ("stop", 1, 0))
        self.assertEqual(self.measured(bad)[0]["score"], 0.1)


if __name__ == "__main__":
    unittest.main()
