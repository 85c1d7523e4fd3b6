"""`ferry release watch` beside a real server and device: what happens to a release, a line a change, to its end and status."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Cloud, Device  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))
TASK = {"name": "watched", "script": "task.py", "entry": "run", "trigger": {"sequence": [{"event": "go"}]},
        "simulation": {"cases": "cases.json"}}
CASES = {"cases": [{"name": "one", "events": [{"id": "go", "time_ms": 1}], "expect": 1}]}
ENDS = [{"kind": "full", "min_reports": 1}]
# More reports than there are devices: it stays in this stage.
STAYS = [{"kind": "full", "min_reports": 2}]
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"


class WatchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ferry-watch-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.cloud = Cloud(BIN, cls.folder)
        cls.addClassCleanup(cls.cloud.server.stop)
        device = Device(BIN, cls.folder / "device", "device", {"os": "linux"}, poll_seconds=1)
        cls.addClassCleanup(device.stop)
        device.start(join=cls.cloud.server.api.post("/join-tokens", {"uses": 1})["token"])
        device.wait_enrolled()

    def start(self, version, stages, result=1):
        folder = self.folder / version
        folder.mkdir()
        (folder / "task.json").write_text(json.dumps({**TASK, "version": version}))
        (folder / "task.py").write_text(f"def run(matched):\n    return {result}\n")
        (folder / "cases.json").write_text(json.dumps(CASES))
        package, plan = self.folder / f"{version}.fpk", self.folder / f"{version}.json"
        plan.write_text(json.dumps(stages))
        self.cloud.cli("pack", folder, "-o", package)
        self.cloud.cli("publish", package, "--dir", self.cloud.publisher)
        return self.cloud.cli("release", "start", "--package", TASK["name"], "--version", version, "--rule", 'os == "linux"',
                              "--stages", plan)["id"]

    def watch(self, release, *options):
        process = subprocess.Popen([BIN / "ferry", "release", "watch", release, "--interval", "0.1", *options], text=True,
                                   env=self.cloud.cli.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        for clean in (process.stderr.close, process.stdout.close, process.wait, process.kill):
            self.addCleanup(clean)
        # What does not end in time is ended, and its status then tells.
        timer = threading.Timer(120, process.kill)
        timer.start()
        self.addCleanup(timer.cancel)
        return process

    def end(self, process, status):
        """What it still says; `communicate` would lose what was read ahead of a line."""
        out = process.stdout.read()
        self.assertEqual((process.wait(), process.stderr.read()), (status, ""), out)
        return out

    def check_lines(self, release, out, state):
        """Each event of the server is one line, once and in order, and beside them are those of the counts alone."""
        *lines, last = out.splitlines()
        self.assertEqual(last, f"{release} is {state}")
        for line in lines:
            self.assertRegex(line, rf"^{TIME} [a-z_]+ +\S")
        shown = self.cloud.cli("release", "show", release)
        self.assertEqual(shown["state"], state)
        events = [(one["kind"], one["text"]) for one in shown["events"]]
        self.assertTrue(events)
        words = [re.fullmatch(rf"{TIME} (\w+) +(.*)", line).groups() for line in lines]
        self.assertEqual([one for one in words if one[0] not in ("counts", "state")], events)
        for before, after in zip(lines, lines[1:]):
            self.assertNotEqual(before, after)

    def test_to_its_end(self):
        release = self.start("1.0.0", [{"kind": "simulation"}, *ENDS])
        self.check_lines(release, self.end(self.watch(release), 0), "complete")
        # Of one that is over, the same lines at once, and the same status.
        lines = [json.loads(line) for line in self.end(self.watch(release, "--json"), 0).splitlines()]
        self.assertEqual((lines[-1]["kind"], lines[-1]["state"]), ("end", "complete"))
        self.assertTrue(all(line["id"] == release for line in lines))

    def test_stopped_by_an_operator(self):
        for version, action, state in (("1.1.0", "halt", "stopped"), ("1.2.0", "kill", "killed"), ("1.2.1", "rollback", "rolled_back")):
            with self.subTest(action):
                release = self.start(version, STAYS)
                process = self.watch(release)
                first = process.stdout.readline()
                self.assertRegex(first, TIME)
                self.assertIsNone(process.poll())
                self.cloud.cli("release", action, release, "--why", "enough")
                out = first + self.end(process, 1)
                self.assertIn("enough", out)
                self.check_lines(release, out, state)

    def test_stopped_by_its_simulation(self):
        release = self.start("1.3.0", [{"kind": "simulation"}, *ENDS], result=2)
        self.check_lines(release, self.end(self.watch(release), 1), "failed_simulation")

    def test_a_server_that_starts_anew(self):
        release = self.start("1.4.0", STAYS)
        process = self.watch(release)
        process.stdout.readline()
        self.cloud.server.kill()
        self.assertIn("asking again until it answers", process.stderr.readline())
        self.cloud.server.start()
        self.cloud.server.api.login(self.cloud.server.password)
        self.assertIn("the server answers again", process.stderr.readline())
        self.cloud.cli("release", "kill", release, "--why", "enough")
        self.end(process, 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
