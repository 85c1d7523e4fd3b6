"""Two nodes of one server, as steps of the demo: rows on PostgreSQL, wake-ups over NATS, content in a bucket; one node dies."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest.mock
import urllib.request

from fleet import Cloud, Device, Failed, Server, wait_for

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e/cluster"))
from parts import S3, S3_SECRETS, Nats, Postgres, what_lacks  # noqa: E402

DEVICES = 6
TASK = {"name": "counted", "script": "task.py", "entry": "run", "trigger": {"sequence": [{"event": "go"}]}}
GRAY = [{"kind": "gray", "percent": 50, "hold": True}, {"kind": "full", "min_reports": 1}]


class ClusterJob:
    def __init__(self, bin_dir, folder):
        self.bin, self.folder = bin_dir, folder
        self.parts, self.devices, self.nodes, self.postgres = [], [], [], None

    def steps(self):
        return [self.start_parts, self.start_nodes, self.join, self.first_release, self.kill_in_gray, self.finish, self.come_back]

    def start_parts(self):
        """PostgreSQL, NATS and a bucket on loopback"""
        if lacks := what_lacks():
            raise Failed(f"missing: {lacks}")
        self.postgres = Postgres()
        self.postgres.make()
        self.parts = [Nats(), S3(self.folder / "s3")]
        for part in self.parts:
            part.start()
        print(f"rows {self.postgres.url}\nbus {self.parts[0].url}\ncontent {self.parts[1].url}")

    def start_nodes(self):
        """Two nodes: the second one has the first one's keys, and no truth of its own"""
        options = ("--bus", self.parts[0].url, "--blob", self.parts[1].url)
        with unittest.mock.patch.dict(os.environ, {"FERRY_STORE": self.postgres.url}):
            self.cloud = Cloud(self.bin, self.folder / "one", options, environment=os.environ | S3_SECRETS)
        one = self.cloud.server
        two = Server(self.bin, self.folder / "two/server", one.options, one.environment)
        self.nodes = [one, two]
        # Devices know both: the next root says so, which the publisher signs.
        places = [f"127.0.0.1:{node.port}" for node in self.nodes]
        subprocess.run([self.bin / "ferry-server", "address", *places, "--dir", one.folder], check=True, capture_output=True, timeout=60)
        self.cloud.cli("keys", "rotate", "--dir", self.cloud.publisher, "--role", "online", "--online-keys",
                       one.folder / "online-keys.json")
        self.root = self.cloud.cli("keys", "upload", "--dir", self.cloud.publisher)["root_version"]
        shutil.copytree(one.folder, two.folder, ignore=shutil.ignore_patterns("*.lock"))
        two.start()
        two.api.login(one.password)
        self.server = two  # whose console stays
        for node in self.nodes:
            print(f"node {node.url}: {self.ready(node)}")

    def ready(self, node):
        with urllib.request.urlopen(f"{node.url}/readyz", timeout=10) as answer:
            return json.loads(answer.read())

    def join(self):
        """Six devices, three by each node"""
        self.server.password = self.nodes[0].password
        for number in range(DEVICES):
            node = self.nodes[number % 2]
            device = Device(self.bin, self.folder / f"device-{number}", f"device-{number}", {"os": "linux", "app_version": "1.0.0"}, poll_seconds=5)
            self.devices.append(device)
            device.start(join=node.api.post("/join-tokens", {"uses": 1, "valid_ms": 600_000})["token"])
            device.wait_enrolled()
            wait_for(f"{device.name} to know both nodes",
                     lambda device=device: self.server.api.get(f"/devices/{device.id}")["root_version"] == self.root)
        listed = [{row["id"] for row in node.api.get("/devices?limit=10")["devices"]} for node in self.nodes]
        if listed[0] != listed[1] or len(listed[0]) != DEVICES:
            raise Failed(f"the nodes do not list the same devices: {listed}")
        print(f"both nodes list the same {DEVICES} devices")

    def publish(self, version):
        source = self.folder / f"source-{version}"
        source.mkdir()
        (source / "task.py").write_text(f"def run(matched):\n    return \"{version}\"\n")
        (source / "task.json").write_text(json.dumps(TASK | {"version": version}))
        self.cloud.cli("pack", source, "-o", self.folder / "task.fpk")
        self.cloud.cli("publish", self.folder / "task.fpk", "--dir", self.cloud.publisher)

    def release(self, node, version, stages):
        return node.api.post("/releases", {"package": "counted", "version": version, "rule": "all", "start": True, "stages": stages})["id"]

    def running(self, version):
        return [device for device in self.devices
                if device.status().get("packages", {}).get("counted", {}).get("version") == version]

    def first_release(self):
        """Version 1.0.0 to all of them, said to one node"""
        self.publish("1.0.0")
        self.release(self.nodes[0], "1.0.0", [{"kind": "full", "min_reports": 1}])
        wait_for("all devices to run 1.0.0", lambda: len(self.running("1.0.0")) == DEVICES, 120)
        print(f"{DEVICES} devices run 1.0.0")

    def kill_in_gray(self):
        """Version 1.1.0 to half of them; in the middle of that stage node one is killed"""
        self.publish("1.1.0")
        self.second = self.release(self.nodes[0], "1.1.0", GRAY)
        wait_for("the first device of the gray stage", lambda: self.running("1.1.0"), 120)
        self.nodes[0].kill()
        state = self.server.api.get(f"/releases/{self.second}")
        print(f"node one is killed; node two says: {state['state']}, stage {state['stage'] + 1} of {len(GRAY)}, {len(state['members'])} devices")

    def finish(self):
        """Node two goes on with the release, and with the devices of node one"""
        wait_for("node two to take over", lambda: self.server.api.post(f"/releases/{self.second}/promote", {"why": "half of them run it"}), 60)
        wait_for("all devices to run 1.1.0", lambda: len(self.running("1.1.0")) == DEVICES, 180)
        wait_for("the release to end", lambda: self.server.api.get(f"/releases/{self.second}")["state"] == "complete", 120)
        print(f"{DEVICES} devices run 1.1.0; the release is complete")

    def come_back(self):
        """Node one comes back with nothing to catch up, and the whole is checked"""
        self.nodes[0].start()
        wait_for("node one to be ready", lambda: self.ready(self.nodes[0])["ready"], 60)
        done = subprocess.run([self.bin / "ferry-server", "check", "--dir", self.nodes[1].folder, "--blob", self.parts[1].url, "--bus", self.parts[0].url, "--json"],
                              capture_output=True, text=True, timeout=120, env=os.environ | S3_SECRETS)
        told = json.loads(done.stdout or "{}")
        if done.returncode != 0 or told.get("problems"):
            raise Failed(f"ferry-server check: {done.stdout}{done.stderr}")
        print("ferry-server check: rows, counts, audit chain, content and bus are whole")

    def stop(self):
        for part in [*self.devices, *self.nodes, *self.parts]:
            part.stop()
        if self.postgres:
            self.postgres.remove()
