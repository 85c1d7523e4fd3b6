"""The real programs: a publisher spreads 200 targets over 16 bins, and a device fetches the few bins that it needs."""
import base64
import json
import os
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/demo"), str(ROOT / "tests/bad_input")]
import ed25519  # noqa: E402
from fleet import Cloud, Device, Failed, wait_for  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))
SCRIPT = "def on_trigger(matched):\n    return {'sum': 0}\n"
TASK = {"name": "sums", "script": "task.py", "entry": "on_trigger", "trigger": {"sequence": [{"event": "number"}]}}
STAGES = [{"kind": "full", "min_reports": 1, "min_healthy_ms": 100}]
OTHERS = 197  # versions of other packages, beside three of this one


class BinsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-bins-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cloud = Cloud(BIN, self.folder)
        self.server, self.cli, self.publisher = self.cloud.server, self.cloud.cli, self.cloud.publisher
        self.addCleanup(lambda: self.server.stop())

    def publish(self, version, *arguments):
        folder = self.folder / f"task-{version}"
        folder.mkdir(exist_ok=True)
        (folder / "task.json").write_text(json.dumps({**TASK, "version": version}))
        (folder / "task.py").write_text(SCRIPT)
        package = self.folder / f"{version}.fpk"
        self.cli("pack", folder, "-o", package)
        return self.cli("publish", package, "--dir", self.publisher, *arguments)

    def document(self, role):
        return json.loads(base64.b64decode(self.server.api.get(f"/metadata/{role}")["document"]))

    def add_others(self, count):
        """Signs versions of other packages, whose content nobody has any more, as the targets key would."""
        signed = self.document("targets")["signed"]
        entry = signed["targets"]["sums/1.0.0/full"]
        paths = [f"other-{i}/1.0.0/full" for i in range(count)]
        for i, path in enumerate(paths):
            signed["targets"][path] = {**entry, "custom": {**entry["custom"], "package": f"other-{i}"}}
        signed["version"] += 1
        key = json.loads((self.publisher / "keys/targets-1.json").read_text())
        message = json.dumps(signed, sort_keys=True, separators=(",", ":")).encode()
        keyid = self.cli("keys", "show", "--dir", self.publisher)["roles"]["targets"]["keys"][0]
        signature = {"keyid": keyid, "sig": ed25519.sign(bytes.fromhex(key["private"]), message).hex()}
        document = json.dumps({"signatures": [signature], "signed": signed}).encode()
        self.server.api.post("/packages", {"targets": base64.b64encode(document).decode(), "keys": [], "absent": paths})

    def start_device(self):
        device = Device(BIN, self.folder / "device", "device", {"os": "linux", "app_version": "1.0.0"}, poll_seconds=1)
        self.addCleanup(device.stop)
        device.start(join=self.server.api.post("/join-tokens", {"uses": 1, "valid_ms": 600_000})["token"])
        device.wait_enrolled()
        return device

    def release(self, device, version):
        stages = self.folder / "stages.json"
        stages.write_text(json.dumps(STAGES))
        release = self.cli("release", "start", "--package", "sums", "--version", version, "--rule", 'os == "linux"',
                           "--stages", stages)["id"]
        self.wait_for_version(device, version)
        wait_for(f"the release of {version} to be complete",
                 lambda: self.server.api.get(f"/releases/{release}")["state"] == "complete")
        return release

    def wait_for_version(self, device, version):
        wait_for(f"the device to run {version}",
                 lambda: device.status().get("packages", {}).get("sums", {}).get("version") == version)

    def held(self, device):
        """What the device holds of the metadata: the documents by role, and those of the bins by name."""
        text = (device.folder / "state/trust.json").read_text().split("\n", 1)[1]
        state = json.loads(text)
        return state, state.get("bins", {})

    def test_a_device_fetches_the_bins_that_it_needs(self):
        self.publish("1.0.0")
        self.add_others(OTHERS)
        self.publish("2.0.0")
        whole = len(json.dumps(self.document("targets")))
        shown = self.cli("keys", "bins", "--dir", self.publisher, "--bits", "4")
        self.assertEqual((shown["bins"]["bits"], shown["bins"]["count"]), (4, 16))
        self.assertEqual(len(list((self.publisher / "bins").iterdir())), 16)
        for file in (self.publisher / "bins").iterdir():
            self.assertTrue(self.cli("inspect", file, "--root", self.publisher / "root.json")["verified"])
        names = set(self.document("snapshot")["signed"]["meta"])
        self.assertEqual(len(names), 17)
        device = self.start_device()
        self.release(device, "2.0.0")
        self.assertIn(len(self.held(device)[1]), (1, 2))
        # A publication signs one bin anew, and the document above.
        version = self.document("targets")["signed"]["version"]
        self.publish("3.0.0", "--fallback", "2.0.0")
        top = self.document("targets")["signed"]
        self.assertEqual(top["targets"], {})
        self.assertEqual(sorted(top["ferry"]["bins"]), [version] * 15 + [version + 1])
        self.assertEqual(len(self.server.api.get("/packages")["packages"]), 3)

        release = self.release(device, "3.0.0")
        state, bins = self.held(device)
        self.assertIn(len(bins), (1, 2, 3))
        fetched = len(state["targets"]) + sum(map(len, bins.values()))
        self.assertLess(fetched * 3, whole)
        self.assertLess(sum("other-" in path for text in bins.values() for path in json.loads(text)["signed"]["targets"]), 60)
        # The way back lies in them.
        self.cli("rollback", release)
        self.wait_for_version(device, "2.0.0")
        self.assertLessEqual(len(self.held(device)[1]), 3)
        # A later start has them, and one document is read as before.
        device.stop()
        device.start()
        self.cli("keys", "bins", "--dir", self.publisher, "--bits", "0")
        self.assertFalse(list((self.publisher / "bins").iterdir()))
        self.publish("4.0.0")
        self.release(device, "4.0.0")
        self.assertEqual(self.held(device)[1], {})

    def test_what_publishers_do_goes_on_with_bins(self):
        self.publish("1.0.0")
        self.cli("keys", "bins", "--dir", self.publisher, "--bits", "3")
        self.publish("2.0.0")
        # Several signers one after another are for one document.
        with self.assertRaisesRegex(Failed, "unsupported.*signed on one machine.*--bits 0"):
            self.publish("3.0.0", "--stage-only")
        for command in (["keys", "refresh", "--role", "targets"], ["package", "withdraw", "sums", "2.0.0", "--reason", "leaks"]):
            with self.assertRaisesRegex(Failed, "unsupported.*--bits 0"):
                self.cli(*command, "--dir", self.publisher, "--stage-only")
        # Refresh signs all bins, withdrawal those that it changes.
        self.cli("keys", "refresh", "--dir", self.publisher, "--role", "targets", "--targets-days", "30")
        version = self.document("targets")["signed"]["version"]
        self.assertEqual(self.document("targets")["signed"]["ferry"]["bins"], [version] * 8)
        self.cli("package", "withdraw", "sums", "2.0.0", "--dir", self.publisher, "--reason", "leaks")
        top = self.document("targets")["signed"]
        self.assertIn("sums/2.0.0/full", top["ferry"]["withdrawn"])
        self.assertEqual([row["version"] for row in self.server.api.get("/packages")["packages"]], ["1.0.0"])
        # Fresh targets keys sign everything anew; another machine of the publisher takes all of it over.
        self.cli("keys", "rotate", "--dir", self.publisher, "--role", "targets")
        self.cli("keys", "upload", "--dir", self.publisher)
        above = self.document("targets")["signed"]
        self.assertEqual(above["ferry"]["bins"], [above["version"]] * 8)
        (self.publisher / "targets.json").unlink()
        for file in (self.publisher / "bins").iterdir():
            file.unlink()
        self.publish("3.0.0")
        self.assertEqual(len(list((self.publisher / "bins").iterdir())), 8)
        self.cli("keys", "personal", "--dir", self.publisher, "--package", "sums")
        self.assertIn("personal", self.document("targets")["signed"]["ferry"])
        # The stored rows are whole, as `ferry-server check` sees them.
        device = self.start_device()
        self.release(device, "3.0.0")


if __name__ == "__main__":
    unittest.main()
