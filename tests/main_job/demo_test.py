"""The main job of the demo, run as it is; its steps check every figure that they print."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))


class MainJobTest(unittest.TestCase):
    def test_all_steps_end_as_they_must(self):
        with tempfile.TemporaryDirectory(prefix="ferry-demo-") as folder:
            run = subprocess.run([sys.executable, str(ROOT / "tools/demo/demo.py"), "--once", "--bin", str(BIN), "--keep",
                                  str(pathlib.Path(folder) / "job")], capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            self.assertIn("accuracy over all images: 0.9956 (448 of 450)", run.stdout)
            self.assertEqual(run.stdout.count("\n== "), 9, run.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
