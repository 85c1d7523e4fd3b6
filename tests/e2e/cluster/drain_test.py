"""ferry-server drain: a node's devices go to the other one, a few at a time; and a node with no room says when to come back."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from parts import Nats, Postgres, postgres_programs  # noqa: E402
from fleet import COME_BACK_SECONDS, Cloud, Device, Server, wait_for  # noqa: E402

BIN = pathlib.Path(os.environ["FERRY_BIN"])
DEVICES = 4
WITHIN_S = 8
LACKS = ", ".join(name for name, there in (("nats-server", shutil.which("nats-server")), ("postgresql-15", postgres_programs()))
                  if not there)


@unittest.skipIf(LACKS, f"missing: {LACKS}")
class DrainTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-drain-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.postgres, self.nats = Postgres(), Nats()
        self.addCleanup(self.postgres.remove)
        self.postgres.make()
        self.addCleanup(self.nats.stop)
        self.nats.start()
        with unittest.mock.patch.dict(os.environ, {"FERRY_STORE": self.postgres.url}):
            self.cloud = Cloud(BIN, self.folder / "one", ("--bus", self.nats.url), environment=dict(os.environ))
        self.one = self.cloud.server
        self.addCleanup(self.one.stop)
        self.two = Server(BIN, self.folder / "two/server", self.one.options, self.one.environment)
        self.addCleanup(self.two.stop)
        # Devices know both nodes, the first one first.
        places = [f"127.0.0.1:{server.port}" for server in (self.one, self.two)]
        subprocess.run([BIN / "ferry-server", "address", *places, "--dir", self.one.folder], check=True, capture_output=True, timeout=60)
        self.cloud.cli("keys", "rotate", "--dir", self.cloud.publisher, "--role", "online",
                       "--online-keys", self.one.folder / "online-keys.json")
        self.root = self.cloud.cli("keys", "upload", "--dir", self.cloud.publisher)["root_version"]
        shutil.copytree(self.one.folder, self.two.folder, ignore=shutil.ignore_patterns("*.lock"))

    def start_two(self):
        self.two.start()
        self.two.api.login(self.one.password)

    def device(self, name):
        device = Device(BIN, self.folder / name, name, {"os": "linux", "app_version": "1.0.0"}, poll_seconds=1)
        self.addCleanup(device.stop)
        device.start(join=self.one.api.post("/join-tokens", {"uses": 1, "valid_ms": 600_000})["token"])
        device.wait_enrolled()
        wait_for(f"{name} to know both nodes",
                 lambda: self.one.api.get(f"/devices/{device.id}")["root_version"] == self.root)
        return device

    def metric(self, server, name):
        request = urllib.request.Request(f"{server.url}/metrics", headers={"Authorization": f"Bearer {server.api.token}"})
        text = urllib.request.urlopen(request, timeout=10).read().decode()
        return next(float(line.split()[-1]) for line in text.splitlines() if line.startswith(name + " "))

    def here(self, server):
        return self.metric(server, "ferry_devices_connected")

    def ready(self, server):
        try:
            with urllib.request.urlopen(f"{server.url}/readyz", timeout=10) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    def drain(self, *arguments):
        return subprocess.Popen([BIN / "ferry-server", "drain", self.one.folder, "--json", *arguments], stdout=subprocess.PIPE, text=True)

    def ended(self, child):
        out, _ = child.communicate(timeout=60)
        return child.returncode, json.loads(out)

    def test_a_node_is_drained(self):
        self.start_two()
        devices = [self.device(f"device{k}") for k in range(DEVICES)]
        wait_for("all to be at the first node", lambda: self.here(self.one) == DEVICES, COME_BACK_SECONDS)
        self.assertEqual(self.ready(self.one), (200, {"ready": True, "store": "ok", "blobs": "ok", "bus": "ok"}))
        began = time.monotonic()
        draining = self.drain("--within", f"{WITHIN_S}s")
        wait_for("it to be not ready", lambda: self.ready(self.one)[0] == 503, 10)
        self.assertIs(self.ready(self.one)[1]["draining"], True)
        left = []
        while draining.poll() is None:
            left.append(self.here(self.one))
            time.sleep(0.2)
        status, said = self.ended(draining)
        self.assertEqual((status, said["devices"], said["left"]), (0, DEVICES, 0), said)
        self.assertGreaterEqual(time.monotonic() - began, WITHIN_S * 0.7)
        self.assertEqual(set(left) | {0.0}, {float(count) for count in range(DEVICES + 1)}, "one after the other")
        wait_for("all to be at the other node", lambda: self.here(self.two) == DEVICES, 60)
        self.assertEqual(self.metric(self.one, "ferry_devices_sent_away_total"), DEVICES)
        # Nobody comes back to it, it may be asked again, and it serves anew after a start.
        self.assertEqual(self.here(self.one), 0)
        status, said = self.ended(self.drain("--within", "1s"))
        self.assertEqual((status, said["left"]), (0, 0))
        self.one.stop()
        status, said = self.ended(self.drain())
        self.assertEqual((status, said["error"]["name"]), (1, "failed_precondition"))
        self.one.start()
        self.assertEqual(self.ready(self.one)[0], 200)
        self.two.stop()
        wait_for("all to come back", lambda: self.here(self.one) == DEVICES, COME_BACK_SECONDS)
        self.assertTrue(all(device.process.running() for device in devices))

    def test_a_full_node_sends_devices_to_the_other(self):
        self.two.options.append("--max-devices")
        self.two.options.append("1")
        self.start_two()
        devices = [self.device(f"device{k}") for k in range(2)]
        self.one.stop()
        wait_for("one device to be in", lambda: self.here(self.two) == 1, COME_BACK_SECONDS)
        wait_for("the other to be told", lambda: self.metric(self.two, "ferry_devices_sent_away_total") >= 1, COME_BACK_SECONDS)
        self.assertEqual(self.here(self.two), 1)
        inside = wait_for("it to be there", lambda: [device for device in devices if device.connected()])
        self.assertEqual(len(inside), 1)
        inside[0].stop()
        # Told to come back in a minute or so, and it does.
        wait_for("the other to get its place", lambda: self.here(self.two) == 1, COME_BACK_SECONDS)

    def test_bad_orders_are_refused(self):
        for arguments in (("--within", "soon"), ("--within", "-1s"), ("--within", "1000h")):
            refused = subprocess.run([BIN / "ferry-server", "drain", self.one.folder, *arguments], capture_output=True, timeout=30)
            self.assertEqual(refused.returncode, 2, arguments)
        empty = subprocess.run([BIN / "ferry-server", "drain", self.folder], capture_output=True, text=True, timeout=30)
        self.assertEqual(empty.returncode, 1)
        self.assertIn(str(self.folder), empty.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
