"""ferry-server password, tokens: who may call the console, beside a running server and without one."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Failed, Server, wait_for  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))


class ServerAccessTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-access-")
        self.addCleanup(folder.cleanup)
        self.server = Server(BIN, pathlib.Path(folder.name) / "server")
        self.server.init()

    def run_server(self, command, *arguments, text=""):
        return subprocess.run([BIN / "ferry-server", command, "--dir", self.server.folder, *arguments],
                              input=text, capture_output=True, text=True, timeout=60)

    def answer(self, command, *arguments, text=""):
        done = self.run_server(command, *arguments, "--json", text=text)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def start(self):
        self.server.start()
        self.addCleanup(self.server.stop)

    def test_passwords_are_set_beside_a_running_server(self):
        self.start()
        self.server.api.login(self.server.password)
        self.assertEqual(self.answer("password", text="a word of my own\n")["made"], False)
        with self.assertRaisesRegex(Failed, "401"):
            self.server.api.get("/status")  # the token of the password before
        self.assertEqual(self.answer("tokens"), {"tokens": []})
        with self.assertRaisesRegex(Failed, "401"):
            self.server.api.login(self.server.password)
        self.server.api.login("a word of my own")
        made = self.answer("password")["admin_password"]
        self.server.api.login(made)
        self.server.api.login(self.answer("password", "--make", text="not read, for one is made")["admin_password"])

    def test_bad_passwords_and_directories_are_named(self):
        done = self.run_server("password", text="short\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("12 to 1024 characters", done.stderr)
        self.assertEqual(done.stdout, "")
        done = self.run_server("password", text="x" * 5000)
        self.assertIn("4096 bytes", done.stderr)
        self.server.folder = self.server.folder / "nothing"
        for command in ("password", "tokens"):
            self.assertIn("no server here", self.run_server(command).stderr)

    def test_tokens_are_listed_and_revoked_beside_a_running_server(self):
        self.assertEqual(self.answer("tokens"), {"tokens": []})
        self.start()
        self.server.api.login(wait_for("the one-time password", self.server.one_time_password))
        self.server.api.login(self.server.password)
        once, admin = sorted(self.answer("tokens")["tokens"], key=lambda token: token["name"], reverse=True)
        self.assertEqual((once["name"], admin["name"]), ("one-time password", "admin"))
        self.assertIsNone(admin["last_used_ms"])
        self.server.api.get("/status")
        used = {token["id"]: token["last_used_ms"] for token in self.answer("tokens")["tokens"]}
        self.assertGreaterEqual(used[admin["id"]], admin["created_ms"])
        self.assertIsNone(used[once["id"]])
        self.assertIn(admin["id"], self.run_server("tokens").stdout)
        self.assertNotIn(self.server.api.token, self.run_server("tokens", "--json").stdout)
        self.assertEqual(self.answer("tokens", "--revoke", admin["id"]), {"revoked": admin["id"]})
        with self.assertRaisesRegex(Failed, "401"):
            self.server.api.get("/status")
        again = self.run_server("tokens", "--revoke", admin["id"])
        self.assertEqual(again.returncode, 1)
        self.assertIn(f"there is no token {admin['id']}", again.stderr)

    def test_only_the_first_start_prints_a_password(self):
        for _ in range(3):
            self.server.start()
            self.server.stop()
        log = self.server.process.log.read_text()
        self.assertEqual(log.count("one-time password: "), 1, log)
        self.start()
        self.server.api.login(wait_for("the one-time password", self.server.one_time_password))


if __name__ == "__main__":
    unittest.main()
