"""A server of one machine is moved into PostgreSQL and back, each time in the middle of a release."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from parts import Postgres, postgres_programs  # noqa: E402
from fleet import Cloud, Device, wait_for  # noqa: E402

BIN = pathlib.Path(os.environ["FERRY_BIN"])
TASK = {"name": "counted", "script": "task.py", "entry": "run", "trigger": {"sequence": [{"event": "go"}]}}
STAGES = [{"kind": "beta", "who": 'tag("a")', "min_reports": 1, "hold": True}, {"kind": "full"}]


@unittest.skipUnless(postgres_programs(), "missing: postgresql-15")
class MoveTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-move-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.postgres = Postgres()
        self.addCleanup(self.postgres.remove)
        self.postgres.make()
        self.cloud = Cloud(BIN, self.folder)
        self.server = self.cloud.server
        self.addCleanup(self.server.stop)
        self.stages = self.folder / "stages.json"
        self.stages.write_text(json.dumps(STAGES))
        self.a, self.b = self.device("a"), self.device("b")

    def device(self, name):
        device = Device(BIN, self.folder / name, name, {"os": "linux", "app_version": "1.0.0", "tags": [name]}, poll_seconds=1)
        self.addCleanup(device.stop)
        device.start(join=self.server.api.post("/join-tokens", {"uses": 1, "valid_ms": 600_000})["token"])
        device.wait_enrolled()
        return device

    def ferry_server(self, *arguments):
        done = subprocess.run([str(BIN / "ferry-server"), *map(str, arguments), "--json"], capture_output=True, text=True, timeout=120)
        return done.returncode, json.loads(done.stdout or done.stderr)

    def move(self, source, target):
        """As soon as the server that was stopped has let go of everything."""
        answers = []

        def moved():
            answers.append(self.ferry_server("move", "--from", source, "--to", target))
            status, told = answers[-1]
            self.assertTrue(status == 0 or told["error"]["name"] == "failed_precondition", told)
            return status == 0

        wait_for(f"{source} to be moved", moved, 40)
        return answers[-1][1]

    def begin(self, version, value):
        """A release that is over with device a and waits before b."""
        source = self.folder / f"source-{version}"
        source.mkdir()
        (source / "task.py").write_text(f"def run(matched):\n    return {value}\n")
        (source / "task.json").write_text(json.dumps(TASK | {"version": version}))
        self.cloud.cli("pack", source, "-o", self.folder / "task.fpk")
        self.cloud.cli("publish", self.folder / "task.fpk", "--dir", self.cloud.publisher)
        self.cloud.cli("release", "start", "--package", "counted", "--version", version, "--rule", 'os == "linux"', "--stages", self.stages)
        self.runs(self.a, version)

    def runs(self, device, version):
        wait_for(f"{device.name} to run {version}",
                 lambda: device.status().get("packages", {}).get("counted", {}).get("version") == version, 60)

    def go_on(self, version):
        release = self.server.api.get("/releases?limit=1")["releases"][0]
        self.assertEqual(release["version"], version)
        self.assertNotEqual(release["state"], "complete")
        self.cloud.cli("release", "promote", release["id"], "--why", "moved")
        self.runs(self.b, version)
        wait_for("the release to end", lambda: self.server.api.get(f"/releases/{release['id']}")["state"] == "complete", 30)

    def restart(self, *options):
        self.server.start(*options)
        self.server.api.login(self.server.password)
        self.cloud.cli.environment["FERRY_TOKEN"] = self.server.api.token

    def test_there_and_back(self):
        url, home = self.postgres.url, self.server.folder
        self.begin("1.0.0", 1)
        status, told = self.ferry_server("move", "--from", home, "--to", url)
        self.assertEqual((status, told["error"]["name"]), (1, "failed_precondition"), "a server runs there")
        self.server.stop()
        moved = self.move(home, url)
        rows = {table["table"]: table["rows"] for table in moved["tables"]}
        self.assertEqual((rows["device"], rows["release"], rows["package"]), (2, 1, 1))
        self.assertTrue(all(len(table["sha256_sum"]) == 64 for table in moved["tables"]))
        self.assertFalse((home / "ferry.db").exists())

        # Nobody else's keys open these rows.
        other = self.folder / "other"
        self.assertEqual(self.ferry_server("init", "--dir", other)[0], 0)
        refused = subprocess.run([str(BIN / "ferry-server"), "run", "--dir", str(other), "--store", url], capture_output=True, text=True, timeout=60)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("key ring", refused.stderr)
        self.assertEqual(self.ferry_server("init", "--dir", self.folder / "third", "--store", url)[1]["error"]["name"], "already_exists")

        self.restart("--store", url)
        self.go_on("1.0.0")
        self.begin("1.1.0", 2)
        self.assertEqual(self.ferry_server("move", "--from", url, "--to", home)[1]["error"]["name"], "failed_precondition")
        self.server.stop()
        back = self.move(url, home)
        rows = {table["table"]: table["rows"] for table in back["tables"]}
        self.assertEqual((rows["device"], rows["release"], rows["package"]), (2, 2, 2))
        refused = subprocess.run([str(BIN / "ferry-server"), "run", "--dir", str(home), "--store", url], capture_output=True, text=True, timeout=60)
        self.assertIn("moved to", refused.stderr)
        self.restart("--store", "ferry.db")
        self.go_on("1.1.0")
        checked = self.ferry_server("check", "--dir", home)
        self.assertEqual(checked, (0, {"ok": True, "problems": []}))
        actions = [row["action"] for row in self.server.api.get("/audit?limit=100")["rows"]]
        self.assertEqual(actions.count("ferry-server move"), 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
