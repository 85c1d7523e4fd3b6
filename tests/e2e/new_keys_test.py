"""ferry device new-keys: devices make new keys while releases are under way, keep their ids, and the old ones are worth nothing."""
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Cloud, Device, wait_for  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))
SCRIPT = "def run(matched):\n    return {\"version\": \"%s\"}\n"
TASK = {"name": "keyed", "script": "task.py", "entry": "run", "trigger": {"sequence": [{"event": "go"}]}}


class NewKeysTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-new-keys-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "stages.json").write_text(json.dumps([{"kind": "full"}]))
        self.cloud = Cloud(BIN, self.folder)
        self.cli, self.server = self.cloud.cli, self.cloud.server
        self.addCleanup(self.server.stop)
        self.devices = [Device(BIN, self.folder / name, name, {"os": "linux", "app_version": "1.0.0"}, push, 1)
                        for name, push in (("pushed", True), ("polling", False))]
        token = self.server.api.post("/join-tokens", {"uses": 2, "valid_ms": 600_000})["token"]
        for device in self.devices:
            self.addCleanup(device.stop)
            device.start(join=token)
            device.wait_enrolled()

    def release(self, version, fallback=None):
        source = self.folder / version
        source.mkdir()
        (source / "task.py").write_text(SCRIPT % version)
        (source / "task.json").write_text(json.dumps({**TASK, "version": version}))
        package = self.folder / f"{version}.fpk"
        self.cli("pack", source, "-o", package)
        self.cli("publish", package, "--dir", self.cloud.publisher, *(["--fallback", fallback] if fallback else []))
        return self.cli("release", "start", "--package", "keyed", "--version", version, "--rule", 'os == "linux"',
                        "--stages", self.folder / "stages.json")["id"]

    def all_run(self, version):
        wait_for(f"all devices to run {version}", lambda: all(
            device.status().get("packages", {}).get("keyed", {}).get("version") == version for device in self.devices))
        # The next release may begin once the server knows it too.
        wait_for(f"the release of {version} to end", lambda: any(
            row["version"] == version and row["state"] == "complete"
            for row in self.server.api.get("/releases")["releases"]))

    def keys(self, device):
        return tuple((device.folder / "state" / name).read_bytes() for name in ("identity.key", "seal.key"))

    def test_devices_make_new_keys_under_way(self):
        self.release("1.0.0")
        self.all_run("1.0.0")
        before = {device.name: self.keys(device) for device in self.devices}
        ids = {device.name: device.id for device in self.devices}
        stolen = self.folder / "stolen"
        shutil.copytree(self.devices[0].folder / "state", stolen / "state")

        asked = self.cli("device", "new-keys", "--all")
        self.assertEqual(asked["asked"], 2)
        self.release("1.1.0", "1.0.0")  # its keys are wrapped while the devices change theirs
        self.all_run("1.1.0")
        for device in self.devices:
            wait_for(f"{device.name} to have new keys",
                     lambda device=device: all(a != b for a, b in zip(before[device.name], self.keys(device))))
        # Asking one again counts who still has to: nobody but that one.
        self.assertLessEqual(self.cli("device", "new-keys", ids["pushed"])["waiting"], 1)

        # The same devices to the server, over a restart of each too, and the next release opens.
        for device in self.devices:
            device.stop()
            device.start()
        self.release("1.2.0", "1.1.0")
        self.all_run("1.2.0")
        listed = self.cli("device", "list")["devices"]
        self.assertEqual(sorted(each["id"] for each in listed), sorted(ids.values()))

        # A copy of the state from before is nobody: its key is not the one that the server knows.
        self.devices[0].stop()
        thief = Device(BIN, stolen, "thief", {"os": "linux", "app_version": "1.0.0"}, poll_seconds=1)
        self.addCleanup(thief.stop)
        thief.start()
        wait_for("the copy to be refused", lambda: (thief.status().get("last_error") or {}).get("name") == "unauthenticated")
        time.sleep(2)
        self.assertFalse(thief.connected())


if __name__ == "__main__":
    unittest.main()
