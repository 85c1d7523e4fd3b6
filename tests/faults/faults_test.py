"""The drills that must hold, a few times each: `tools/dev faults` does them hundreds of times."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import faults  # noqa: E402
from drill import ROOT  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin")).resolve()
QUICK = {
    "device_killed_in_install": 2,
    "device_killed_under_events": 3,
    "events_before_tasks": 2,
    "forgotten_device": 1,
    "idle_lines": 200,
    "keys_rotated": 1,
    "restored_from_backup": 2,
    "server_killed_in_ingest": 3,
    "server_killed_in_publish": 3,
    "slow_headers": 1,
    "stolen_director": 1,
    "strangers": 60,
}


class FaultsTest(unittest.TestCase):
    def test_quick_drills_hold(self):
        for name, runs in QUICK.items():
            with self.subTest(name):
                outcome = faults.run_drill(name, BIN, runs)
                self.assertTrue(outcome.ok, outcome)
                self.assertEqual((outcome.runs, outcome.lost, outcome.doubled), (runs, 0, 0))

    def test_the_list_names_files_in_order(self):
        self.assertEqual(list(faults.DRILLS), sorted(faults.DRILLS))
        files = {path.stem for path in HERE.glob("*.py")} - {"drill", "faults", "faults_test"}
        self.assertEqual(set(faults.DRILLS), files)

    def test_a_drill_that_breaks_off_has_not_held(self):
        run = subprocess.run([sys.executable, str(HERE / "faults.py"), "server_killed_in_ingest", "--runs", "1", "--json",
                              "--bin", str(HERE)], capture_output=True, text=True)
        self.assertEqual(run.returncode, 1, run.stderr)
        row, = json.loads(run.stdout)
        self.assertEqual((row["fault"], row["ok"]), ("server_killed_in_ingest", False))
        self.assertIn("ferry-server", row["note"])

    def test_unknown_names_are_refused(self):
        run = subprocess.run([sys.executable, str(HERE / "faults.py"), "nothing"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn("no drill nothing", run.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
