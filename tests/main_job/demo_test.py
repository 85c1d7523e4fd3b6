"""The main job of the demo, run as it is; its steps check every figure that they print."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
STDOUT_LINES = 40  # of a demo that failed, behind its reason: logs are cut at their end
BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))


class MainJobTest(unittest.TestCase):
    def run_demo(self, *options):
        with tempfile.TemporaryDirectory(prefix="ferry-demo-") as folder:
            run = subprocess.run([sys.executable, str(ROOT / "tools/demo/demo.py"), "--once", "--bin", str(BIN), "--keep",
                                  str(pathlib.Path(folder) / "job"), *options], capture_output=True, text=True)
            last = "\n".join(run.stdout.splitlines()[-STDOUT_LINES:])
            self.assertEqual(run.returncode, 0, f"{run.stderr}\nIts last lines:\n{last}")
            self.assertIn("accuracy over all images: 0.9956 (448 of 450)", run.stdout)
            self.assertEqual(run.stdout.count("\n== "), 16, run.stdout)
            self.assertRegex(run.stdout, r"Console: http://127.0.0.1:\d+/   user: admin   password: \S+")

    def test_all_steps_end_as_they_must(self):
        self.run_demo()

    def test_another_tenant_is_served_as_the_default_one_is(self):
        self.run_demo("--tenant", "acme")


if __name__ == "__main__":
    unittest.main(verbosity=2)
