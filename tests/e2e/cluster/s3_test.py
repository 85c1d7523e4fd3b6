"""The blob store's conformance suite on a server of S3: s3rver, on loopback, in a folder of its own."""
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BIN = pathlib.Path(os.environ["FERRY_BIN"])
SERVER = HERE / "node_modules/s3rver/bin/s3rver.js"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@unittest.skipUnless(shutil.which("node") and SERVER.exists(), "node and tests/e2e/cluster/node_modules (npm ci) are needed")
class S3Test(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="ferry-s3-")
        self.addCleanup(self.folder.cleanup)
        self.port = free_port()
        self.server = subprocess.Popen(
            ["node", str(SERVER), "-d", self.folder.name, "-a", "127.0.0.1", "-p", str(self.port), "--configure-bucket", "models", "--silent"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.stop)
        end = time.monotonic() + 30
        while time.monotonic() < end:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            self.assertIsNone(self.server.poll(), "s3rver ended")
            time.sleep(0.05)
        self.fail("s3rver does not listen")

    def stop(self):
        if self.server.poll() is None:
            self.server.terminate()
            self.server.wait(20)

    def run_suite(self, key_id, secret, url=None):
        url = url or f"s3://models?endpoint=http://127.0.0.1:{self.port}"
        return subprocess.run([str(BIN / "test_cloud_server_blob"), "--gtest_filter=Blobs/*S3*", "--gtest_brief=1"], capture_output=True, text=True, timeout=300,
                              env=os.environ | {"FERRY_TEST_S3": url, "AWS_ACCESS_KEY_ID": key_id, "AWS_SECRET_ACCESS_KEY": secret})

    def test_every_contract_holds_in_a_bucket(self):
        done = self.run_suite("S3RVER", "S3RVER")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("[  PASSED  ]", done.stdout)
        self.assertNotIn("SKIPPED", done.stdout)

    def test_what_is_wrong_is_said_at_once(self):
        for url, word in ((f"s3://nothing?endpoint=http://127.0.0.1:{self.port}", "404"),
                          (f"s3://models?endpoint=http://127.0.0.1:{free_port()}", "127.0.0.1"), ("s3://A", "not the name of a bucket")):
            done = self.run_suite("S3RVER", "S3RVER", url)
            self.assertNotEqual(done.returncode, 0, url)
            self.assertIn(word, done.stdout, url)


if __name__ == "__main__":
    unittest.main(verbosity=2)
