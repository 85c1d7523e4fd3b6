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
    def test_the_last_one_counts(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "server.log"
            server = fleet.Server(folder, folder)
            server.process = types.SimpleNamespace(log=log)
            log.write_text("devices: 127.0.0.1:1\n")
            self.assertIsNone(server.one_time_password())
            log.write_text("".join(f"console: x\none-time password: word{i}\n" for i in range(3)))
            self.assertEqual(server.one_time_password(), "word2")


if __name__ == "__main__":
    unittest.main()
