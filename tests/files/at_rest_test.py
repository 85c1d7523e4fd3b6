"""at_rest: sealed: a package that lies sealed on the device's disk, under a key that does not lie beside it."""
import json
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Cloud, Device, wait_for  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))
MARKER = "a sentence that nobody shall find on the disk"
SCRIPT = f"""from ferry import files
SECRET = {MARKER!r}

def on_trigger(matched):
    return {{"weights": len(files.read("weights.bin")), "secret": len(SECRET)}}
"""
TASK = {"name": "sums", "version": "1.0.0", "script": "task.py", "entry": "on_trigger", "at_rest": "sealed",
        "resources": ["weights.bin"], "trigger": {"sequence": [{"event": "number"}]}, "streams": []}
WEIGHTS = (MARKER * 5000).encode()


class SealedDevice(Device):
    """With --at-rest-key, where `key` is a file."""
    key = None
    forget = False

    def command(self, join=None):
        return super().command(join) + (["--at-rest-key", self.key] if self.key else []) + (["--forget-sealed"] if self.forget else [])


def has_marker(folder):
    return [path for path in pathlib.Path(folder).rglob("*") if path.is_file() and MARKER.encode() in path.read_bytes()]


class AtRestTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-at-rest-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cloud = Cloud(BIN, self.folder)
        self.addCleanup(lambda: self.cloud.server.stop())
        task = self.folder / "task"
        task.mkdir()
        (task / "task.py").write_text(SCRIPT)
        (task / "task.json").write_text(json.dumps(TASK))
        (task / "weights.bin").write_bytes(WEIGHTS)
        package = self.folder / "sums.fpk"
        self.cloud.cli("pack", task, "-o", package)
        self.cloud.cli("publish", package, "--dir", self.cloud.publisher)

    def key(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def device(self, name, key=None):
        device = SealedDevice(BIN, self.folder / name, name, {"os": "linux", "app_version": "1.0.0"})
        device.key = key
        device.start(self.cloud.server.api.post("/join-tokens", {"uses": 1})["token"])
        self.addCleanup(device.stop)
        device.wait_enrolled()
        return device

    def read(self, device):
        before = len(device.result_lines())
        device.send([json.dumps({"id": "number", "page": "p", "data": {}})])
        wait_for(f"{device.name} to answer", lambda: len(device.result_lines()) > before)
        return device.result_lines()[-1]["result"]

    def test_it_runs_with_the_key_and_is_of_no_use_without(self):
        sealed = self.device("sealed", self.key("key", "ab" * 32 + "\n"))
        plain = self.device("plain")
        release = self.cloud.server.api.post("/releases", {"package": "sums", "version": "1.0.0", "rule": "", "start": True,
                                                           "stages": [{"kind": "full", "min_reports": 1}]})
        wait_for("the device with a key to run it", lambda: "sums" in sealed.status().get("packages", {}))
        self.assertEqual(self.read(sealed), {"weights": len(WEIGHTS), "secret": len(MARKER)})
        self.assertEqual(has_marker(self.folder / "sealed" / "state"), [])
        # The other is not offered it, and is told why.
        why = self.cloud.server.api.get(f"/devices/{plain.id}/why?release={release['id']}")
        self.assertIn("at_rest", why["text"])
        self.assertFalse(why["assigned"])
        self.assertEqual(plain.status().get("packages", {}), {})
        self.assertTrue(self.cloud.server.api.get(f"/devices/{sealed.id}")["at_rest"])
        # A start finds it again; a copy of the directory under another key, or none, runs nothing.
        sealed.stop()
        self.cloud.server.stop()
        for name, key in (("copy", self.key("other", "cd" * 32)), ("bare", None), ("again", sealed.key)):
            shutil.copytree(self.folder / "sealed" / "state", self.folder / name / "state")
            copy = SealedDevice(BIN, self.folder / name, name, {"os": "linux", "app_version": "1.0.0"})
            copy.key = key
            if name != "again":
                # Its rows and state lie sealed too: nothing is thrown away unless somebody says so.
                copy.start()
                wait_for(f"{name} to end", lambda: not copy.process.running())
                self.assertIn("sealed", copy.process.tail())
                copy.forget = True
            copy.start()
            self.addCleanup(copy.stop)
            wait_for(f"{name} to say how it is", lambda: copy.status().get("device_id"))
            if name == "again":
                self.assertEqual(self.read(copy)["weights"], len(WEIGHTS))
            else:
                wait_for(f"{name} to refuse", lambda: copy.status().get("last_error"))
                self.assertEqual(copy.status().get("packages", {}), {}, copy.process.tail())
                self.assertIn("sealed at rest", copy.process.tail())
            copy.stop()

    def test_a_key_that_is_none_is_named(self):
        device = SealedDevice(BIN, self.folder / "bad", "bad", {"os": "linux", "app_version": "1.0.0"})
        device.key = self.key("short", "abcd")
        device.start(self.cloud.server.api.post("/join-tokens", {"uses": 1})["token"])
        self.addCleanup(device.stop)
        wait_for("it to end", lambda: not device.process.running())
        self.assertIn("--at-rest-key", device.process.tail())


if __name__ == "__main__":
    unittest.main(verbosity=2)
