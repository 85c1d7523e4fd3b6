"""What the tests of bad input share: a cloud, a device that runs sums 1.0.0, and packages that are wrong in one place."""
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Cloud, Device, Failed, wait_for  # noqa: E402,F401

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))
TASK = {"name": "sums", "script": "task.py", "entry": "on_trigger", "resources": ["weights.bin"],
        "trigger": {"sequence": [{"event": "number"}]}}
SCRIPT = "def on_trigger(matched):\n    return {'sum': sum(matched[-1]['data']['numbers'])}\n"
BYTECODE_MAGIC = b"\x7fFBC"
PROFILE = dict(os="linux", app_version="1.0.0", device_class="high", tags=[])


def replace_script(package, script):
    """Puts `script`, as long as SCRIPT, into a packed file, with right hashes: what `ferry pack` would have refused.
    The bytecode is made to look like that of another instruction set, so that devices compile the source in it."""
    assert len(script) == len(SCRIPT)
    def sha256(data):
        return hashlib.sha256(data).digest()
    data = package.read_bytes()
    begin = data.index(BYTECODE_MAGIC)
    start = data.index(b'{"')
    _, length = json.JSONDecoder().raw_decode(data[start:].decode("latin1"))
    manifest = data[start:start + length]
    size = next(file["length"] for file in json.loads(manifest)["files"] if file["path"] == "task.fbc")
    old = data[begin:begin + size]
    at = len(BYTECODE_MAGIC) + 1  # after the version: the instruction set
    new = old[:at] + bytes(b ^ 0xFF for b in old[at:at + 4]) + old[at + 4:].replace(SCRIPT.encode(), script.encode())
    assert SCRIPT.encode() in old and sha256(old).hex().encode() in manifest
    changed = manifest.replace(sha256(old).hex().encode(), sha256(new).hex().encode())
    package.write_bytes(data.replace(old, new).replace(manifest, changed).replace(sha256(manifest), sha256(changed)))


class BadInputTest(unittest.TestCase):
    """One device of one cloud runs sums 1.0.0."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="ferry-bad-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.cloud = Cloud(BIN, self.folder)
        self.server, self.cli = self.cloud.server, self.cloud.cli
        self.addCleanup(lambda: self.server.stop())
        self.publish(self.pack("1.0.0"))
        self.device = self.join("device")
        self.install("1.0.0")

    def join(self, name):
        token = self.cli("device", "join-token", "--uses", "1", "--valid-hours", "1")["token"]
        device = Device(BIN, self.folder / name, name, PROFILE, poll_seconds=0.5)
        self.addCleanup(device.stop)
        device.start(join=token)
        device.wait_enrolled()
        return device

    def pack(self, version, weights=b"w" * 20_000):
        folder = self.folder / f"task-{version}"
        folder.mkdir()
        (folder / "task.py").write_text(SCRIPT)
        (folder / "task.json").write_text(json.dumps({**TASK, "version": version}))
        (folder / "weights.bin").write_bytes(weights)
        package = self.folder / f"sums-{version}.fpk"
        self.cli("pack", folder, "-o", package)
        return package

    def publish(self, package, *extra):
        self.cli("publish", package, "--dir", self.cloud.publisher, *extra)

    def release(self, version, *stages):
        return self.server.api.post("/releases", {
            "package": "sums", "version": version, "rule": "", "start": True,
            "stages": [*stages, {"kind": "full", "min_reports": 1}]})["id"]

    def install(self, version):
        release = self.release(version)
        wait_for(f"{release} to complete", lambda: self.server.api.get(f"/releases/{release}")["state"] == "complete", 30)
        self.wait_version(version)
        self.running = version

    def version(self):
        return self.device.status().get("packages", {}).get("sums", {}).get("version")

    def wait_version(self, version):
        wait_for(f"the device to run {version}", lambda: self.version() == version, 30)

    def text_of(self, *arguments):
        """What a person sees of `ferry` or another program: standard output and error together."""
        done = subprocess.run([str(word) for word in arguments], capture_output=True, text=True, env=self.cli.environment)
        return done.stdout + done.stderr

    def expect_refused(self, name, *places, status_file=True):
        """The device's report, the command line and the device's own status name error and place; what ran goes on."""
        def failure():
            reports = self.server.api.get(f"/devices/{self.device.id}")["reports"]
            return next((report for report in reports if report["step"] == "failed"), None)
        report = wait_for(f"the report of {name}", failure, 30)
        shown = self.text_of(BIN / "ferry", "device", "show", self.device.id)
        self.assertEqual(report["error_name"], name, report)
        self.assertIn(f"{name}: ", shown)
        if status_file:
            own = wait_for("the device's status", lambda: self.device.status()["last_error"], 10)
            self.assertEqual(own["name"], name)
            self.assertIn(f"{name}: ", self.text_of(BIN / "ferry-device", "status", "--dir", self.device.folder / "state"))
        for place in places:
            self.assertIn(place, report["error_text"])
            self.assertIn(place, shown)
        self.expect_runs(self.running, status_file)

    def expect_runs(self, version, status_file=True):
        if status_file:
            self.wait_version(version)
        running = self.server.api.get(f"/devices/{self.device.id}")["running"]
        self.assertEqual(running, {"sums": version})
        before = len(self.device.result_lines())
        self.device.send([json.dumps({"id": "number", "time_ms": 1000 + before, "data": {"numbers": [40, 2]}})])
        wait_for("a result", lambda: len(self.device.result_lines()) > before, 10)
        self.assertEqual(self.device.result_lines()[-1]["result"], {"sum": 42})
