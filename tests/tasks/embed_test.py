"""The example app on the packed digits task, local-only: no server, the package comes from a file."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

BIN = pathlib.Path(os.environ["FERRY_BIN"])
ROOT = pathlib.Path(__file__).resolve().parents[2]


class EmbedTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.package = pathlib.Path(self.folder.name) / "digits.fpk"
        subprocess.run([BIN / "ferry", "pack", ROOT / "tasks/digits", "-o", self.package], check=True,
                       stdout=subprocess.DEVNULL)
        self.cases = json.loads((ROOT / "tasks/digits/cases.json").read_text())["cases"]

    def tearDown(self):
        self.folder.cleanup()

    def test_results_of_recorded_events(self):
        events = [json.dumps(event) for case in self.cases for event in case["events"]]
        run = subprocess.run([BIN / "ferry-embed", self.package], input="\n".join(events) + "\n", text=True,
                             capture_output=True, check=True)
        results = [json.loads(line) for line in run.stdout.splitlines()]
        self.assertEqual(len(results), len(self.cases))
        for case, result in zip(self.cases, results):
            self.assertEqual(result["package"], "digits")
            self.assertEqual(result["result"]["digit"], case["expect"]["digit"], case["name"])

    def test_a_damaged_package_is_refused(self):
        content = bytearray(self.package.read_bytes())
        content[-100] ^= 1
        self.package.write_bytes(content)
        run = subprocess.run([BIN / "ferry-embed", self.package], input="", text=True, capture_output=True)
        self.assertEqual(run.returncode, 1)
        self.assertIn("SHA-256", run.stderr)


if __name__ == "__main__":
    unittest.main()
