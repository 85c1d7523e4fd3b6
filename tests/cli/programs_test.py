"""Random programs, always the same ones, print the same under `ferry task exec` as under python3."""
import pathlib
import subprocess
import sys
import unittest

import fixture

SCRIPT = pathlib.Path(__file__).parents[2] / "tools/fuzz/programs/programs.py"
COUNT = 12


class ProgramsTest(unittest.TestCase):
    def test_a_few_seeds(self):
        for kind in ("statements", "library", "objects"):
            with self.subTest(kind):
                run = subprocess.run([sys.executable, SCRIPT, "--ferry", fixture.PROGRAM, "--kind", kind, "--count", str(COUNT)], capture_output=True, text=True)
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
                self.assertIn(f"{COUNT} programs from seed 1, 0 differ", run.stdout)

    def test_a_difference_is_told(self):
        run = subprocess.run([sys.executable, SCRIPT, "--command", "echo", "--count", "1", "--no-reduce"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("1 programs from seed 1, 1 differ", run.stdout)


if __name__ == "__main__":
    unittest.main()
