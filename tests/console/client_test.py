"""The console's client is the one that the server's OpenAPI document gives, and the console agrees with it."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONSOLE = ROOT / "cloud-server/console"
BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))


class ClientTest(unittest.TestCase):
    def setUp(self):
        if not shutil.which("node") or not (CONSOLE / "node_modules/openapi-typescript").is_dir():
            self.skipTest("NOT TESTED: node, or npm's packages of cloud-server/console, are not here")

    def test_the_client_is_made_of_the_document(self):
        document = subprocess.run([str(BIN / "ferry-server"), "openapi"], capture_output=True, check=True).stdout
        with tempfile.TemporaryDirectory(prefix="ferry-client-") as folder:
            made = pathlib.Path(folder) / "schema.ts"
            subprocess.run(["node", str(CONSOLE / "client.mjs"), str(made)], input=document, check=True)
            self.assertGreater(len(made.read_text()), 10_000)
            self.assertEqual(made.read_text(), (CONSOLE / "source/api/schema.ts").read_text(),
                             "source/api/schema.ts is old: ferry-server openapi | node cloud-server/console/client.mjs")

    def test_the_console_agrees_with_its_types(self):
        done = subprocess.run(["node", "node_modules/typescript/bin/tsc", "--noEmit", "-p", "."], cwd=CONSOLE, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main()
