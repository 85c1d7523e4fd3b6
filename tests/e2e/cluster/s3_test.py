"""The blob store's conformance suite on a server of S3: s3rver, on loopback, in a folder of its own."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from parts import S3, S3_SECRETS, S3RVER  # noqa: E402
from fleet import free_port  # noqa: E402

BIN = pathlib.Path(os.environ["FERRY_BIN"])


@unittest.skipUnless(shutil.which("node") and S3RVER.exists(), "node and tests/e2e/cluster/node_modules (npm ci) are needed")
class S3Test(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-s3-")
        self.addCleanup(folder.cleanup)
        self.server = S3(folder.name)
        self.addCleanup(self.server.stop)
        self.server.start()

    def run_suite(self, url):
        return subprocess.run([str(BIN / "test_cloud_server_blob"), "--gtest_filter=Blobs/*S3*", "--gtest_brief=1"], capture_output=True, text=True, timeout=300,
                              env=os.environ | S3_SECRETS | {"FERRY_TEST_S3": url})

    def test_every_contract_holds_in_a_bucket(self):
        done = self.run_suite(self.server.url)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("[  PASSED  ]", done.stdout)
        self.assertNotIn("SKIPPED", done.stdout)

    def test_what_is_wrong_is_said_at_once(self):
        for url, word in ((f"s3://nothing?endpoint=http://127.0.0.1:{self.server.port}", "404"),
                          (f"s3://models?endpoint=http://127.0.0.1:{free_port()}", "127.0.0.1"), ("s3://A", "not the name of a bucket")):
            done = self.run_suite(url)
            self.assertNotEqual(done.returncode, 0, url)
            self.assertIn(word, done.stdout, url)


if __name__ == "__main__":
    unittest.main(verbosity=2)
