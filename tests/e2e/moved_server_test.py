"""The server's certificate authority and its address are replaced while devices run: nobody is cut off."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Cloud, Device, Failed, free_port, wait_for  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))
PROFILE = {"os": "linux", "app_version": "1.0.0"}


class MovedServerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-moved-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cloud = Cloud(BIN, self.folder)
        self.server = self.cloud.server
        self.addCleanup(self.server.stop)
        token = self.server.api.post("/join-tokens", {"uses": 2, "valid_ms": 600_000})["token"]
        self.here, self.away = self.device("here"), self.device("away")
        for device in (self.here, self.away):
            device.start(join=token)
            device.wait_enrolled()
            wait_for(f"{device.name} to connect", device.connected)

    def device(self, name):
        device = Device(BIN, self.folder / name, name, PROFILE, poll_seconds=1)
        self.addCleanup(device.stop)
        return device

    def ferry_server(self, *arguments):
        """Exit status and answer of a command beside the running server."""
        done = subprocess.run([str(BIN / "ferry-server"), *arguments, "--dir", str(self.server.folder), "--json"],
                              capture_output=True, text=True, timeout=60)
        return done.returncode, json.loads(done.stdout or done.stderr)

    def upload_root(self):
        self.cloud.cli("keys", "rotate", "--dir", self.cloud.publisher, "--role", "online",
                       "--online-keys", self.server.folder / "online-keys.json")
        return self.cloud.cli("keys", "upload", "--dir", self.cloud.publisher)

    def has_root(self, device, version):
        return wait_for(f"{device.name} to have root {version}", lambda: self.server.api.get(
            f"/devices/{device.id}")["root_version"] == version)

    def line(self, device):
        """What its identity says of the server: a line of checksum, then JSON."""
        return json.loads((device.folder / "state/identity.json").read_text().split("\n", 1)[1])["line"]

    def restart_server(self):
        self.server.stop()
        self.server.start()

    def test_the_authority_is_replaced(self):
        first = self.ferry_server("pin")[1]["authority_pin"]
        self.away.stop()
        status, made = self.ferry_server("keys", "rotate", "authority")
        self.assertEqual((status, made["made"]), (0, ["authority"]))
        second = made["keys"]["line"]
        self.assertNotEqual(first, second)
        # A device that was there hears of it on its line, and is shown the new one at its next connection.
        root = self.upload_root()["root_version"]
        self.has_root(self.here, root)
        self.assertEqual(self.line(self.here)["authorities"], [second, first])
        self.here.stop()
        self.here.start()
        wait_for("the device to come again", self.here.connected)

        status, retired = self.ferry_server("keys", "retire")
        self.assertEqual((status, retired["retiring"]), (0, first))
        root = self.upload_root()["root_version"]
        self.has_root(self.here, root)
        self.assertEqual(self.line(self.here)["authorities"], [second])
        # One lacks the root: its authority stays, and it comes by that.
        status, refused = self.ferry_server("keys", "retire")
        self.assertEqual((status, refused["error"]["name"]), (1, "failed_precondition"))
        self.assertIn("1 devices have not got root", refused["error"]["text"])
        self.away.start()
        self.has_root(self.away, root)
        self.assertEqual(self.line(self.away)["authorities"], [second])
        status, dropped = self.ferry_server("keys", "retire")
        self.assertEqual((status, dropped["dropped"], dropped["devices_lost"]), (0, first, 0))
        self.restart_server()
        self.assertEqual(self.ferry_server("pin")[1]["authority_pin"], second)
        for device in (self.here, self.away):
            device.stop()
            device.start()
            wait_for(f"{device.name} to come to the new authority", device.connected)
        # What joins from now on knows the new one alone.
        late = self.device("late")
        late.start(join=self.server.api.post("/join-tokens", {"uses": 1, "valid_ms": 600_000})["token"])
        late.wait_enrolled()
        wait_for("the late device to connect", late.connected)

    def test_a_root_with_anothers_authority_is_refused(self):
        self.ferry_server("keys", "rotate", "authority")
        online = self.server.folder / "online-keys.json"
        keys = json.loads(online.read_text())
        keys["line"]["authorities"] = ["sha256:" + "0" * 64]
        online.write_text(json.dumps(keys))
        with self.assertRaisesRegex(Failed, "not this server's"):
            self.upload_root()
        wait_for("devices to stay", lambda: self.here.connected() and self.away.connected())

    def test_the_server_moves(self):
        port = free_port()
        status, said = self.ferry_server("address", f"localhost:{port}")
        self.assertEqual((status, said["addresses"]), (0, [f"localhost:{port}"]))
        self.assertEqual(self.ferry_server("address")[1]["line"]["addresses"], [f"localhost:{port}"])
        root = self.upload_root()["root_version"]
        for device in (self.here, self.away):
            self.has_root(device, root)
        self.server.stop()
        self.server.port = port
        moved_ms = time.time() * 1000
        self.server.start()
        for device in (self.here, self.away):
            wait_for(f"{device.name} to follow", lambda device=device: self.server.api.get(
                f"/devices/{device.id}")["last_seen_ms"] > moved_ms)
        status, refused = self.ferry_server("address", "localhost")
        self.assertEqual((status, refused["error"]["name"]), (1, "invalid_argument"))


if __name__ == "__main__":
    unittest.main()
