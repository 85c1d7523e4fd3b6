"""What a plan would do to a running server's fleet: `ferry simulate --plan FILE --fleet-of SERVER`."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Server  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))
DEVICES = 300


class SimulatedPlanTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-plan-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.server = Server(BIN, self.folder / "server")
        self.server.init()
        subprocess.run([BIN / "ferry-server", "fill", "--devices", str(DEVICES), "--seed", "3", self.server.folder], check=True, capture_output=True)
        self.server.start()
        self.addCleanup(self.server.stop)
        self.server.api.login(self.server.password)

    def simulate(self, plan, *arguments):
        file = self.folder / "plan.json"
        file.write_text(plan)
        return subprocess.run([BIN / "ferry", "simulate", "--plan", file, "--fleet-of", self.server.url, "--agents", "2", "--faults", "none",
                               "--json", *arguments], capture_output=True, text=True, timeout=300,
                              env=os.environ | {"FERRY_TOKEN": self.server.api.token})

    def test_the_rule_meets_the_shares_of_the_fleet(self):
        # Those that are blocked get nothing.
        mine = [row["os"] for row in self.server.api.get("/devices?limit=500")["devices"] if not row["blocked"]]
        self.assertGreater(len(mine), 0.9 * DEVICES)
        done = self.simulate(json.dumps({"rule": 'os == "android"', "stages": [{"kind": "full", "min_reports": 1}]}))
        self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(done.stdout)
        self.assertEqual((told["devices"], told["invariants"]["violations"]), (len(mine), []))
        release = told["releases"][-1]
        self.assertEqual(release["state"], "complete")
        # Shares are rounded to whole devices, a kind of profile at a time.
        self.assertAlmostEqual(release["offered"], mine.count("android"), delta=0.05 * DEVICES)

    def test_a_plan_that_is_none_is_said_where(self):
        done = self.simulate('{"rule": "all",\n "stages": [{"kind": "gray", "percent": 101}]}')
        self.assertEqual(done.returncode, 1)
        self.assertIn("percent", done.stderr)
        self.assertIn("plan.json", done.stderr)


if __name__ == "__main__":
    unittest.main()
