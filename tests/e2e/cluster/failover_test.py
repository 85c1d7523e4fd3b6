"""PostgreSQL's primary goes away under two nodes that are writing: it comes back, or its standby takes over. What was acknowledged is there."""
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from parts import S3, S3_SECRETS, Nats, Postgres, Standby, what_lacks  # noqa: E402
from fleet import Cloud, Device, Server, wait_for  # noqa: E402

BIN = pathlib.Path(os.environ["FERRY_BIN"])
TASK = {"name": "counted", "script": "task.py", "entry": "run", "trigger": {"sequence": [{"event": "go"}]}}
LACKS = what_lacks()
CARRIED_OUT = "was carried out before"  # what a call with a key hears that was stored and not answered


def send(server, token, method, path, body, key=None):
    """(status, answer); status 0 where nobody answered."""
    request = urllib.request.Request(f"{server.url}/api/v1{path}", data=json.dumps(body).encode(), method=method)
    for name, value in (("Content-Type", "application/json"), ("Authorization", f"Bearer {token}"), ("Idempotency-Key", key)):
        if value:
            request.add_header(name, value)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read() or b"{}")
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(errors="replace")
    except OSError as error:
        return 0, str(error)


class Writers:
    """Changes of four kinds, each by a thread of its own, until stop(). What was acknowledged is noted, and what was not."""

    def __init__(self, test, device):
        self.token, self.device = test.one.api.token, device
        self.tokens, self.groups, self.marks = [], [], []
        self.tag = self.tags_put = 0  # the last that was stored, and how many were
        self.refusals, self.answers = [], 0
        self.ends, self.lock = threading.Event(), threading.Lock()
        self.threads = [threading.Thread(target=kind, args=(node,)) for kind, node in
                        ((self.make_tokens, test.one), (self.make_groups, test.two), (self.make_tokens_with_keys, test.one), (self.put_tags, test.two))]
        for thread in self.threads:
            thread.start()

    def send(self, *call, **named):
        status, answer = send(call[0], self.token, *call[1:], **named)
        with self.lock:
            if 200 <= status < 300:
                self.answers += 1
                return status, answer
            self.refusals.append((status, str(answer)))
        time.sleep(0.05)
        return status, answer

    def make_tokens(self, node):
        while not self.ends.is_set():
            status, answer = self.send(node, "POST", "/join-tokens", {"uses": 1, "valid_ms": 600_000})
            if status == 200:
                self.tokens.append(answer["id"])

    def make_groups(self, node):
        for number in itertools.count():
            if self.ends.is_set():
                return
            name = f"g{number}"
            if self.send(node, "POST", "/groups", {"name": name, "rule": 'os == "linux"'})[0] == 200:
                self.groups.append(name)

    def make_tokens_with_keys(self, node):
        """Each until it is answered: with a key there is one, however often it was asked for."""
        for number in itertools.count():
            mark = f"k{number}"
            while True:
                if self.ends.is_set():
                    return
                status, answer = self.send(node, "POST", "/join-tokens", {"uses": 1, "tags": [mark]}, key=mark)
                if status == 200 or CARRIED_OUT in str(answer):
                    self.marks.append(mark)
                    break

    def put_tags(self, node):
        for number in itertools.count(1):
            if self.ends.is_set():
                return
            if self.send(node, "PUT", f"/devices/{self.device.id}/tags", {"tags": [f"n{number}"]})[0] == 200:
                self.tag = number
                self.tags_put += 1

    def stop(self):
        self.ends.set()
        for thread in self.threads:
            thread.join(90)

    def hear_nothing(self, seconds=3):
        before = self.answers
        time.sleep(seconds)
        return self.answers == before

    def wait_for_more(self, count=40, seconds=60):
        aim = self.answers + count
        wait_for(f"{count} more acknowledged changes; refused: {self.refusals[-3:]}", lambda: self.answers >= aim, seconds)


@unittest.skipIf(LACKS, f"missing: {LACKS}")
class FailoverTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-failover-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.nats, self.s3 = Nats(), S3(self.folder / "s3")
        for part in (self.nats, self.s3):
            self.addCleanup(part.stop)
            part.start()
        self.primary = Postgres()
        self.addCleanup(self.primary.remove)
        self.primary.make()
        self.standby = Standby(self.primary)
        self.addCleanup(self.standby.remove)
        self.standby.make()
        self.store = f"postgres://ferry@127.0.0.1:{self.primary.port},127.0.0.1:{self.standby.port}/ferry"
        with unittest.mock.patch.dict(os.environ, {"FERRY_STORE": self.store}):
            self.cloud = Cloud(BIN, self.folder / "one", ("--bus", self.nats.url, "--blob", self.s3.url), environment=os.environ | S3_SECRETS)
        self.one = self.cloud.server
        self.addCleanup(self.one.stop)
        self.two = Server(BIN, self.folder / "two/server", self.one.options, self.one.environment)
        self.addCleanup(self.two.stop)
        shutil.copytree(self.one.folder, self.two.folder, ignore=shutil.ignore_patterns("*.lock"))
        self.two.start()
        self.two.api.login(self.one.password)
        for number, version in enumerate(("1.0.0", "1.1.0", "1.2.0")):
            self.publish(version, number)
        self.devices = [self.device("a", self.one), self.device("b", self.two)]
        self.begin_release("1.0.0")
        self.wait_for_release("1.0.0")
        self.leases_before = self.leases()
        self.writers = Writers(self, self.devices[0])
        self.addCleanup(self.writers.stop)
        self.writers.wait_for_more()

    def publish(self, version, value):
        source = self.folder / f"source-{version}"
        source.mkdir()
        (source / "task.py").write_text(f"def run(matched):\n    return {value}\n")
        (source / "task.json").write_text(json.dumps(TASK | {"version": version}))
        self.cloud.cli("pack", source, "-o", self.folder / "task.fpk")
        self.cloud.cli("publish", self.folder / "task.fpk", "--dir", self.cloud.publisher)

    def device(self, name, server):
        device = Device(BIN, self.folder / name, name, {"os": "linux", "app_version": "1.0.0", "tags": [name]}, poll_seconds=2)
        self.addCleanup(device.stop)
        device.start(join=server.api.post("/join-tokens", {"uses": 1, "valid_ms": 600_000})["token"])
        device.wait_enrolled()
        wait_for(f"{name} to be connected", device.connected)
        return device

    def check(self):
        done = subprocess.run([str(BIN / "ferry-server"), "check", "--dir", str(self.one.folder), "--blob", self.s3.url, "--bus", self.nats.url, "--json"],
                              capture_output=True, text=True, timeout=120, env=os.environ | S3_SECRETS)
        self.assertTrue(done.stdout, f"status {done.returncode}: {done.stderr}")
        return done.returncode, json.loads(done.stdout)

    def leases(self):
        return {lease["name"]: lease for lease in self.check()[1]["cluster"]["leases"]}

    def ready(self, server):
        try:
            with urllib.request.urlopen(f"{server.url}/readyz", timeout=30) as answer:
                return json.loads(answer.read())["ready"]
        except OSError:
            return False

    def wait_until_ready(self):
        for server in (self.one, self.two):
            wait_for("a node to be ready", lambda server=server: self.ready(server), 90)

    def everything_is_there(self):
        """Ends the writers, and looks for all that they were told is stored."""
        writers = self.writers
        writers.stop()
        self.assertTrue(all((writers.tokens, writers.groups, writers.marks, writers.tag)))
        for status, answer in writers.refusals:
            self.assertIn(status, (0, 409, 503), answer)
        api = self.two.api
        tokens = api.get("/join-tokens")["join_tokens"]
        self.assertLessEqual(set(writers.tokens), {row["id"] for row in tokens})
        for mark in writers.marks:
            self.assertEqual(sum(row["tags"] == [mark] for row in tokens), 1, mark)
        self.assertLessEqual(set(writers.groups), {row["name"] for row in api.get("/groups")["groups"]})
        tags = api.get(f"/devices/{self.devices[0].id}")["operator_tags"]
        self.assertGreaterEqual(int(tags[0].removeprefix("n")), writers.tag)
        status, told = self.check()
        self.assertEqual((status, told["problems"]), (0, []))
        self.assertGreaterEqual(told["cluster"]["audit_rows"], len(writers.tokens) + len(writers.groups) + len(writers.marks) + writers.tags_put)

    def begin_release(self, version):
        self.two.api.post("/releases", {"package": "counted", "version": version, "rule": 'os == "linux"', "stages": [{"kind": "full"}], "start": True})

    def wait_for_release(self, version):
        for device in self.devices:
            wait_for(f"{device.name} to run {version}",
                     lambda device=device: device.status().get("packages", {}).get("counted", {}).get("version") == version, 150)
        wait_for(f"the release of {version} to end", lambda: self.two.api.get("/releases?limit=1")["releases"][0]["state"] == "complete", 60)

    def all_goes_on(self):
        self.wait_until_ready()
        self.writers.wait_for_more()
        self.everything_is_there()
        leases = self.leases()
        for name, before in self.leases_before.items():
            self.assertTrue(leases[name]["held"], name)
            self.assertGreaterEqual(leases[name]["number"], before["number"], name)
        self.wait_for_release("1.1.0")
        self.begin_release("1.2.0")
        self.wait_for_release("1.2.0")

    def test_the_standby_takes_over(self):
        self.begin_release("1.1.0")
        self.primary.kill()
        self.assertFalse(self.ready(self.one))
        self.standby.promote()
        self.all_goes_on()

    def test_the_standby_takes_over_while_the_primary_lives(self):
        self.begin_release("1.1.0")
        self.standby.promote()
        # The nodes stay with the primary that answers them. Their changes wait there for a standby that is none any more: nothing is acknowledged,
        # and what waits is not in what took over, where its numbers are given out again.
        wait_for("changes to wait", self.writers.hear_nothing, 30)
        self.primary.stop("immediate")
        self.all_goes_on()

    def test_the_primary_hangs_and_comes_back_when_the_standby_has_taken_over(self):
        self.begin_release("1.1.0")
        self.primary.freeze()
        self.addCleanup(self.primary.thaw)
        wait_for("changes to wait", self.writers.hear_nothing, 30)
        self.standby.promote()
        self.wait_until_ready()
        self.writers.wait_for_more()
        # Nobody goes back to it, though it is the first host of the address and takes writes; nor do nodes that start anew.
        self.primary.thaw()
        self.two.stop()
        self.two.start()
        self.two.api.login(self.one.password)
        self.writers.wait_for_more()
        before = self.primary.ask("SELECT count(*) FROM join_token")
        self.all_goes_on()
        self.assertEqual(self.primary.ask("SELECT count(*) FROM join_token"), before)

    def test_the_primary_comes_back(self):
        self.begin_release("1.1.0")
        for how in ("immediate", "fast"):
            self.primary.stop(how)
            self.primary.start()
            self.wait_until_ready()
            self.writers.wait_for_more()
        self.standby.wait_until_in_step()
        self.all_goes_on()


if __name__ == "__main__":
    unittest.main(verbosity=2)
