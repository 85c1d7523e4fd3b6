"""The console in a headless Chromium, against a server with devices: the cases of tests/console/cases, all in one browser."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import scene  # noqa: E402

RUN = pathlib.Path(__file__).with_name("run.mjs")
LEAST_CASES = 40
PICTURES = os.environ.get("FERRY_PICTURES")  # a folder that keeps what the browser showed when a case failed


class ConsoleTest(unittest.TestCase):
    def test_cases(self):
        if missing := scene.missing():
            self.skipTest(f"NOT TESTED: the console's cases need {', '.join(missing)}")
        with tempfile.TemporaryDirectory(prefix="ferry-console-") as folder:
            stage = scene.Scene(folder)
            try:
                child = subprocess.Popen(["node", str(RUN), *sys.argv[1:]], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         env=os.environ | {"FERRY_SCENE": json.dumps(stage.facts())})
                lines = scene.serve(stage, child)
                child.wait()
            finally:
                stage.stop()
                if PICTURES and (stage.folder / "pictures").is_dir():
                    shutil.copytree(stage.folder / "pictures", PICTURES, dirs_exist_ok=True)
        ended = [line for line in lines if not line.startswith("# ")]  # those are figures
        self.assertEqual([line for line in ended if not line.startswith("ok ")], [])
        if len(sys.argv) == 1:
            self.assertGreaterEqual(len(ended), LEAST_CASES)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
