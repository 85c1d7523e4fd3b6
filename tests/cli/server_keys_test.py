"""ferry-server keys rotate, and the publisher's half: ferry keys rotate --role online."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Cloud, Failed  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))


class ServerKeysTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-keys-")
        self.addCleanup(folder.cleanup)
        self.cloud = Cloud(BIN, folder.name)
        self.server = self.cloud.server
        self.addCleanup(lambda: self.server.stop())
        self.publisher = self.cloud.publisher

    def run_rotate(self, *arguments):
        return subprocess.run([BIN / "ferry-server", "keys", "rotate", "--dir", self.server.folder, *arguments],
                              capture_output=True, text=True, timeout=60)

    def rotate(self, *arguments):
        done = self.run_rotate(*arguments, "--json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def roles(self):
        return {name: role["keys"] for name, role in self.cloud.cli("keys", "show", "--dir", self.publisher)["roles"].items()}

    def test_one_role_by_way_of_a_file(self):
        before = self.roles()
        made = self.rotate("director")
        self.assertEqual((made["made"], made["waiting"]), (["director"], ["director"]))
        self.assertEqual(self.server.api.get("/online-keys")["waiting"], ["director"])
        # The keys in use stay until the root comes.
        self.assertEqual(self.server.api.get("/status")["metadata"]["root"], 1)
        self.cloud.cli("keys", "rotate", "--dir", self.publisher, "--role", "online", "--online-keys", made["online_keys"])
        self.assertEqual(self.cloud.cli("keys", "upload", "--dir", self.publisher)["uploaded_roots"], 1)
        after = self.roles()
        self.assertEqual(after["director"], [made["keys"]["director"]])
        self.assertEqual([name for name in after if after[name] != before[name]], ["director"])
        self.assertEqual(self.server.api.get("/online-keys")["waiting"], [])
        # And after a start.
        self.server.stop()
        self.server.start()
        self.assertNotIn("will not believe", self.server.process.tail())
        self.assertEqual(self.server.api.get("/status")["metadata"]["root"], 2)

    def test_all_roles_from_the_server(self):
        before = self.roles()
        made = self.rotate()
        self.assertEqual(made["waiting"], ["director", "escrow", "snapshot", "timestamp"])
        self.assertEqual(self.rotate()["made"], [], "they wait already")
        self.assertEqual(self.cloud.cli("keys", "rotate", "--dir", self.publisher, "--role", "online")["uploaded_roots"], 1)
        after = self.roles()
        self.assertEqual(sorted(name for name in after if after[name] != before[name]),
                         ["director", "snapshot", "timestamp"])
        old = list((self.server.folder / "keys/old").iterdir())
        self.assertEqual(len(old), 1, old)
        self.assertEqual(list((self.server.folder / "keys/next").iterdir()), [])

    def test_a_root_of_keys_that_were_replaced_is_refused(self):
        made = self.rotate("timestamp")
        kept = self.server.folder / "kept.json"
        shutil.copy(made["online_keys"], kept)
        self.assertEqual(self.rotate("timestamp", "--again")["made"], ["timestamp"])
        self.cloud.cli("keys", "rotate", "--dir", self.publisher, "--role", "online", "--online-keys", kept)
        with self.assertRaisesRegex(Failed, "timestamp role does not name this server's key"):
            self.cloud.cli("keys", "upload", "--dir", self.publisher)
        # The next root names what waits; the one between need not.
        self.assertEqual(self.cloud.cli("keys", "rotate", "--dir", self.publisher, "--role", "online")["uploaded_roots"], 2)
        self.assertEqual(self.server.api.get("/status")["metadata"]["root"], 3)

    def test_a_server_that_was_set_back_gets_new_keys(self):
        self.server.stop()
        copy = self.server.folder.with_name("copy")
        shutil.copytree(self.server.folder, copy)
        self.server.start()
        self.rotate()
        self.cloud.cli("keys", "rotate", "--dir", self.publisher, "--role", "online")
        self.server.stop()
        shutil.rmtree(self.server.folder)
        copy.rename(self.server.folder)
        self.server.start()
        with self.assertRaisesRegex(Failed, "wrong_key"):
            self.cloud.cli("keys", "upload", "--dir", self.publisher)
        self.rotate()
        self.assertEqual(self.cloud.cli("keys", "rotate", "--dir", self.publisher, "--role", "online")["uploaded_roots"], 2)

    def test_bad_roles_and_directories_are_named(self):
        done = self.run_rotate("root")
        self.assertEqual(done.returncode, 1)
        self.assertIn('no key of "root"', done.stderr)
        self.server.stop()
        self.server.folder = self.server.folder / "nothing"
        self.assertIn("no server here", self.run_rotate().stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
