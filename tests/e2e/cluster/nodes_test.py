"""Two nodes of one server: rows on PostgreSQL, wake-ups over NATS, content in a bucket of S3. One node is killed in the middle."""
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
from parts import S3, S3_SECRETS, Nats, Postgres, what_lacks  # noqa: E402
from fleet import Cloud, Device, Server, wait_for  # noqa: E402

BIN = pathlib.Path(os.environ["FERRY_BIN"])
TASK = {"name": "counted", "script": "task.py", "entry": "run", "trigger": {"sequence": [{"event": "go"}]}}
LACKS = what_lacks()


@unittest.skipIf(LACKS, f"missing: {LACKS}")
class NodesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-cluster-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.postgres, self.nats, self.s3 = Postgres(), Nats(), S3(self.folder / "s3")
        self.addCleanup(self.postgres.remove)
        self.postgres.make()
        for part in (self.nats, self.s3):
            self.addCleanup(part.stop)
            part.start()
        # The second node has the first one's directory: keys, certificates, where the store is.
        with unittest.mock.patch.dict(os.environ, {"FERRY_STORE": self.postgres.url}):
            self.cloud = Cloud(BIN, self.folder / "one", ("--bus", self.nats.url, "--blob", self.s3.url), environment=os.environ | S3_SECRETS)
        self.one = self.cloud.server
        self.addCleanup(self.one.stop)
        self.two = Server(BIN, self.folder / "two/server", self.one.options, self.one.environment)
        self.addCleanup(self.two.stop)
        shutil.copytree(self.one.folder, self.two.folder, ignore=shutil.ignore_patterns("*.lock"))
        self.two.start()
        self.two.api.login(self.one.password)

    def publish(self, version, value):
        source = self.folder / f"source-{version}"
        source.mkdir()
        (source / "task.py").write_text(f"def run(matched):\n    return {value}\n")
        (source / "task.json").write_text(json.dumps(TASK | {"version": version}))
        self.cloud.cli("pack", source, "-o", self.folder / "task.fpk")
        self.cloud.cli("publish", self.folder / "task.fpk", "--dir", self.cloud.publisher)

    def device(self, name, server):
        """A device that polls once an hour: only a wake-up makes it quick."""
        device = Device(BIN, self.folder / name, name, {"os": "linux", "app_version": "1.0.0", "tags": [name]}, poll_seconds=3600)
        self.addCleanup(device.stop)
        device.start(join=server.api.post("/join-tokens", {"uses": 1, "valid_ms": 600_000})["token"])
        device.wait_enrolled()
        wait_for(f"{name} to be connected", device.connected)
        return device

    def release(self, version, stages):
        file = self.folder / f"stages-{version}.json"
        file.write_text(json.dumps(stages))
        self.cloud.cli("release", "start", "--package", "counted", "--version", version, "--rule", 'os == "linux"', "--stages", file)

    def runs(self, device, version):
        return device.status().get("packages", {}).get("counted", {}).get("version") == version

    def ferry_server(self, *arguments):
        done = subprocess.run([str(BIN / "ferry-server"), *map(str, arguments), "--json"], capture_output=True, text=True, timeout=120,
                              env=os.environ | S3_SECRETS)
        self.assertTrue(done.stdout, f"status {done.returncode}: {done.stderr}")
        return done.returncode, json.loads(done.stdout)

    def refused(self, *options):
        """What a node says that cannot start with these, and how long it tried."""
        begun = time.monotonic()
        done = subprocess.run([str(BIN / "ferry-server"), "run", "--dir", str(self.two.folder), *map(str, options)], capture_output=True, text=True,
                              timeout=60, env=os.environ | S3_SECRETS)
        self.assertEqual(done.returncode, 1)
        return done.stderr.splitlines()[-1], time.monotonic() - begun

    def ready(self, server):
        try:
            with urllib.request.urlopen(f"{server.url}/readyz", timeout=10) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return json.loads(error.read())

    def test_devices_of_both_nodes_get_what_one_of_them_was_told(self):
        self.publish("1.0.0", 1)
        a, b = self.device("a", self.one), self.device("b", self.two)
        self.release("1.0.0", [{"kind": "full"}])
        for device in (a, b):
            wait_for(f"{device.name} to run 1.0.0", lambda device=device: self.runs(device, "1.0.0"), 60)
        self.assertEqual(self.ready(self.two), {"ready": True, "store": "ok", "blobs": "ok", "bus": "ok"})
        listed = {server.url: [row["id"] for row in server.api.get("/devices?limit=10")["devices"]] for server in (self.one, self.two)}
        self.assertEqual(listed[self.one.url], listed[self.two.url])
        self.assertEqual(sorted(listed[self.one.url]), sorted([a.id, b.id]))

        # The node that ticks goes without a word; the other goes on with the release, and with its device.
        self.publish("1.1.0", 2)
        self.one.kill()
        self.cloud.cli.environment |= {"FERRY_SERVER": self.two.url, "FERRY_TOKEN": self.two.api.token}
        # Whichever node held the lease: it ends the first release, the other one once the lease has run out.
        wait_for("the first release to end", lambda: self.two.api.get("/releases?limit=5")["releases"][0]["state"] == "complete", 60)
        self.release("1.1.0", [{"kind": "full"}])
        wait_for("b to run 1.1.0", lambda: self.runs(b, "1.1.0"), 90)
        self.one.start()
        wait_for("a to run 1.1.0", lambda: self.runs(a, "1.1.0"), 150)

        # Whether all of it is whole, and a backup that opens anywhere.
        places = ("--dir", self.two.folder, "--blob", self.s3.url, "--bus", self.nats.url)
        status, told = self.ferry_server("check", *places, "--deep")
        self.assertEqual((status, told["problems"], told["cluster"]["bus"]), (0, [], "ok"))
        self.assertIn("server", [lease["name"] for lease in told["cluster"]["leases"] if lease["held"]])
        nodes = told["cluster"]["nodes"]
        self.assertEqual({node["host"].rpartition(":")[2] for node in nodes}, {str(self.one.port), str(self.two.port)})
        self.assertTrue(all(node["serves"] and node["version"] and node["schema"] >= 11 for node in nodes), nodes)
        status, told = self.ferry_server("backup", *places[:4], self.folder / "backup")
        self.assertEqual((status, told["problems"]), (0, []))
        self.assertEqual(self.ferry_server("restore", "--dir", self.folder / "restored", self.folder / "backup")[0], 0)
        self.assertEqual(self.ferry_server("check", "--dir", self.folder / "restored"), (0, {"ok": True, "problems": []}))
        spoilt = next(path for path in (self.folder / "s3").rglob("*_object") if path.stat().st_size > 64)
        held = spoilt.read_bytes()
        spoilt.write_bytes(held[:-1] + bytes([held[-1] ^ 1]))
        status, told = self.ferry_server("check", *places, "--deep")
        self.assertEqual(status, 1)
        self.assertIn("in the bucket", told["problems"][0])
        spoilt.write_bytes(held)

        # Without the bus devices are found when they come; without the bucket the node is not ready, and is again.
        self.nats.stop()
        wait_for("the bus to be missed", lambda: self.ready(self.two)["bus"] == "away", 30)
        self.assertTrue(self.ready(self.two)["ready"])
        self.s3.stop()
        told = self.ready(self.two)
        self.assertFalse(told["ready"])
        self.assertIn("unavailable", told["blobs"])
        self.s3.start()
        self.nats.start()
        wait_for("both to be back", lambda: self.ready(self.two) == {"ready": True, "store": "ok", "blobs": "ok", "bus": "ok"}, 60)
        self.postgres.stop("immediate")
        self.assertFalse(self.ready(self.two)["ready"])
        self.postgres.start()
        wait_for("the rows to be back", lambda: self.ready(self.two)["ready"], 60)
        self.assertEqual(len(self.two.api.get("/devices?limit=10")["devices"]), 2)

    def test_what_is_away_or_wrong_is_said_at_the_start(self):
        self.two.stop()
        good = ("--bus", self.nats.url, "--blob", self.s3.url)
        text, took = self.refused("--store", "postgres://ferry@127.0.0.1:9/ferry", "--wait", 2)
        self.assertIn("store, tried for 2 s", text)
        self.assertTrue(2 <= took < 20, took)
        self.assertIn("bus, tried for 1 s", self.refused("--bus", "nats://127.0.0.1:9", "--wait", 1)[0])
        self.assertIn("blob store, tried for 1 s", self.refused("--blob", "s3://models?endpoint=http://127.0.0.1:9", "--wait", 1)[0])
        # What answers and is wrong is not waited for.
        for options in (("--store", self.postgres.url + "s"), ("--store", self.postgres.url.replace("ferry@", "nobody@")), ("--bus", "ftp://x"),
                        ("--blob", self.s3.url.replace("models", "others"))):
            text, took = self.refused(*options, "--wait", 60)
            self.assertLess(took, 30, text)
            self.assertNotIn("tried for", text)

        # A node that begins before its database and its bus is there when they are.
        self.one.stop()
        self.postgres.stop()
        self.nats.stop()
        node = subprocess.Popen([str(BIN / "ferry-server"), "run", "--dir", str(self.two.folder), "--port", str(self.two.port), "--admin-port",
                                 str(self.two.admin_port), *good, "--wait", "60"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                env=os.environ | S3_SECRETS)
        self.addCleanup(node.wait)
        self.addCleanup(node.kill)
        time.sleep(2)
        self.assertIsNone(node.poll())
        self.postgres.start()
        self.nats.start()

        def is_ready():
            try:
                return self.ready(self.two)["ready"]
            except OSError:
                return False

        wait_for("the node to be ready", is_ready, 40)

    def test_a_node_starts_in_an_empty_directory(self):
        self.two.stop()
        status, told = self.ferry_server("keys", "seal", "--dir", self.one.folder, "--out", self.folder / "ring")
        self.assertEqual((status, len(told["secret"])), (0, 64))
        self.assertNotIn(b"PRIVATE", (self.folder / "ring").read_bytes())
        shutil.rmtree(self.two.folder)
        begin = [str(BIN / "ferry-server"), "run", "--dir", str(self.two.folder), "--key-ring", str(self.folder / "ring"), "--store", self.postgres.url]
        for secret, error in (({}, "not_found"), ({"FERRY_KEY_RING_SECRET": "0" * 64}, "wrong_key"), ({"FERRY_KEY_RING_SECRET": "x"}, "invalid_argument")):
            done = subprocess.run(begin, capture_output=True, text=True, timeout=60, env=os.environ | S3_SECRETS | secret)
            self.assertEqual(done.returncode, 1)
            self.assertIn(error, done.stderr)
            self.assertNotIn("000000", done.stderr)
        self.two.environment = os.environ | S3_SECRETS | {"FERRY_KEY_RING_SECRET": told["secret"]}
        self.two.start("--key-ring", self.folder / "ring", "--store", self.postgres.url)
        self.assertEqual((self.two.folder / "keys/director.key").stat().st_mode & 0o777, 0o600)
        self.two.api.login(self.one.password)
        self.publish("1.0.0", 1)
        device = self.device("b", self.two)
        self.release("1.0.0", [{"kind": "full"}])
        wait_for("b to run 1.0.0", lambda: self.runs(device, "1.0.0"), 60)

    def test_nodes_of_two_releases_side_by_side(self):
        """A node of the next release brings the schema on: first by a step that serves those that are there, then by one that does not."""
        schema = int(self.postgres.ask("SELECT max(number) FROM ferry_schema"))
        self.publish("1.0.0", 1)
        device = self.device("a", self.one)
        self.postgres.ask("BEGIN; ALTER TABLE device ADD COLUMN later TEXT NOT NULL DEFAULT ''; "
                          f"INSERT INTO ferry_schema (number, name, serves) VALUES ({schema + 1}, 'next', {schema}); COMMIT")
        self.release("1.0.0", [{"kind": "full"}])
        wait_for("a to run 1.0.0", lambda: self.runs(device, "1.0.0"), 60)
        self.two.stop()
        self.two.start()
        self.assertEqual(self.ready(self.two), {"ready": True, "store": "ok", "blobs": "ok", "bus": "ok"})
        status, told = self.ferry_server("check", "--dir", self.two.folder, "--blob", self.s3.url, "--bus", self.nats.url)
        self.assertEqual((status, told["problems"], len(told["cluster"]["nodes"])), (0, [], 2))

        self.postgres.ask(f"INSERT INTO ferry_schema (number, name, serves) VALUES ({schema + 2}, 'after', {schema + 2})")
        wait_for("the nodes to see that they are left behind", lambda: not self.ready(self.one)["ready"] and not self.ready(self.two)["ready"], 30)
        self.assertIn("newer release", self.ready(self.one)["store"])
        wait_for("the device to be sent away", lambda: not device.connected(), 30)
        self.two.stop()
        text, _ = self.refused("--bus", self.nats.url, "--blob", self.s3.url)
        self.assertIn(f"the database has schema {schema + 2}, which serves programs that know {schema + 2}", text)


if __name__ == "__main__":
    unittest.main(verbosity=2)
