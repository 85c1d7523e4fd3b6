"""The bus's conformance suite over NATS: nats-server on loopback, which also goes away and comes back."""
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from parts import Nats  # noqa: E402

BIN = pathlib.Path(os.environ["FERRY_BIN"])


@unittest.skipUnless(shutil.which("nats-server"), "nats-server is needed")
class NatsTest(unittest.TestCase):
    def setUp(self):
        self.nats = Nats()
        self.addCleanup(self.nats.stop)
        self.nats.start()

    def suite(self, which):
        return [str(BIN / "test_cloud_server_bus"), f"--gtest_filter={which}", "--gtest_brief=1"], os.environ | {"FERRY_TEST_NATS": self.nats.url}

    def read_until(self, child, word):
        for line in child.stdout:
            if line.strip() == word:
                return
        self.fail(f"the suite ended before it said {word}")

    def test_every_contract_holds_over_the_line(self):
        command, environment = self.suite("Buses/*Nats*")
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("SKIPPED", done.stdout)

    def test_nodes_hear_each_other_again_when_the_server_is_back(self):
        command, environment = self.suite("NatsBus.IsThereAgain*")
        child = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(lambda: child.poll() is None and (child.kill(), child.wait()))
        self.read_until(child, "connected")
        self.nats.stop()
        self.read_until(child, "lost")
        self.nats.start()
        rest = child.communicate(timeout=60)[0]
        self.assertEqual(child.returncode, 0, rest)
        self.assertIn("[  PASSED  ]", rest)


if __name__ == "__main__":
    unittest.main(verbosity=2)
