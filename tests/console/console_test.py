"""The console in a headless Chromium, against a server with devices: the cases of tests/console/cases, all in one browser."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import scene  # noqa: E402

LEAST_CASES = 40


class ConsoleTest(unittest.TestCase):
    def test_cases(self):
        if missing := scene.missing():
            self.skipTest(f"NOT TESTED: the console's cases need {', '.join(missing)}")
        lines = scene.play(scene.Scene, "cases", sys.argv[1:])
        ended = [line for line in lines if not line.startswith("# ")]  # those are figures
        self.assertEqual([line for line in ended if not line.startswith("ok ")], [])
        if len(sys.argv) == 1:
            self.assertGreaterEqual(len(ended), LEAST_CASES)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
