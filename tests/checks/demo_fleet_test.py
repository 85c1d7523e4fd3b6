"""tools/demo/fleet.py: what the demo tells people about its server."""
import pathlib
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))
import fleet  # noqa: E402


class OneTimePasswordTest(unittest.TestCase):
    def test_that_of_the_newest_start_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "server.log"
            server = fleet.Server(folder, folder)
            server.process = types.SimpleNamespace(log=log)
            log.write_text("devices: 127.0.0.1:1\n")
            self.assertIsNone(server.one_time_password())
            log.write_text("console: x\none-time password: word\nsignal 15: stopping\nconsole: x\n")
            self.assertEqual(server.one_time_password(), "word")
            with log.open("a") as more:
                more.write("one-time password: other\n")
            self.assertEqual(server.one_time_password(), "other")


if __name__ == "__main__":
    unittest.main()
