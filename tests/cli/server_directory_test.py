"""A server's directory has one holder: the second is told who, a killed one holds nothing."""
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Server  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))


class ServerDirectoryTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-directory-")
        self.addCleanup(folder.cleanup)
        self.server = Server(BIN, pathlib.Path(folder.name) / "server")
        self.server.init()

    def second(self, *command):
        return subprocess.run([BIN / "ferry-server", *command], capture_output=True, text=True, timeout=60)

    def test_a_second_server_is_told_who_holds_the_directory(self):
        self.server.start()
        self.addCleanup(self.server.stop)
        pid = self.server.process.child.pid
        alias = self.server.folder.parent / "alias"
        alias.symlink_to(self.server.folder)
        for folder in (self.server.folder, alias):
            done = self.second("run", "--dir", folder)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"held by ferry-server run (host {socket.gethostname()}, pid {pid}, since 20", done.stderr)
        backup = self.server.folder.parent / "backup"
        self.assertEqual(self.second("backup", "--dir", self.server.folder, backup).returncode, 0)
        self.assertNotIn("held-by.json", [path.name for path in backup.iterdir()])
        done = self.second("restore", backup, "--dir", self.server.folder, "--replace")
        self.assertIn(f"pid {pid}", done.stderr)

    def test_the_directory_is_free_after_an_end_and_after_a_kill(self):
        holder = self.server.folder / "held-by.json"
        self.server.start()
        self.assertEqual(json.loads(holder.read_text())["pid"], self.server.process.child.pid)
        self.server.stop()
        self.assertFalse(holder.exists())
        self.server.start()
        killed = self.server.process.child.pid
        self.server.process.kill()
        self.assertEqual(json.loads(holder.read_text())["pid"], killed)
        self.server.start()
        self.addCleanup(self.server.stop)
        self.assertEqual(json.loads(holder.read_text())["pid"], self.server.process.child.pid)


if __name__ == "__main__":
    unittest.main()
