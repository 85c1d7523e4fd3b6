"""The console with 100,000 made-up devices: search, scroll, narrow, tag and take back, in a browser."""
import json
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import scene  # noqa: E402
from fleet import Server  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
DEVICES = 100_000
LEAST_CASES = 5


class Large:
    """What scene.serve needs of a scene: a server, and calls of its interface."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.server = Server(scene.BIN, self.folder / "server")
        command = [scene.BIN / "ferry-server", "fill", "--devices", DEVICES, "--seed", 7, "--json", self.folder / "server"]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True)
        self.server.password = json.loads(done.stdout)["admin_password"]
        self.server.start()
        self.server.api.login(self.server.password)

    def stop(self):
        self.server.stop()

    def facts(self):
        return {"url": self.server.url, "password": self.server.password, "folder": str(self.folder), "count": DEVICES}

    def do(self, request):
        if request["do"] != "api":
            raise ValueError(f"nothing here does {request['do']}")
        return self.server.api.call(*request["with"])


class LargeTest(unittest.TestCase):
    def test_cases(self):
        if missing := scene.missing():
            self.skipTest(f"NOT TESTED: the console's cases need {', '.join(missing)}")
        lines = scene.play(Large, str(HERE / "cases"), sys.argv[1:])
        self.assertEqual([line for line in lines if not line.startswith("ok ")], [])
        if len(sys.argv) == 1:
            self.assertGreaterEqual(len(lines), LEAST_CASES)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
