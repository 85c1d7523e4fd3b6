"""Publications on a real server: what no device can get, withdrawal, later expiries, and several signers."""
import base64
import json
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/demo"), str(ROOT / "tests/bad_input")]
import ed25519  # noqa: E402
from fleet import Cli, Cloud, Failed, Server  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))
SCRIPT = "def on_trigger(matched):\n    return {'sum': 0}\n"
TASK = {"name": "sums", "script": "task.py", "entry": "on_trigger", "trigger": {"sequence": [{"event": "number"}]}}


class PackageTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="ferry-package-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.cloud = Cloud(BIN, self.folder)
        self.server, self.cli, self.publisher = self.cloud.server, self.cloud.cli, self.cloud.publisher
        self.addCleanup(lambda: self.server.stop())

    def pack(self, version):
        folder = self.folder / f"task-{version}"
        folder.mkdir(exist_ok=True)
        (folder / "task.py").write_text(SCRIPT)
        (folder / "task.json").write_text(json.dumps({**TASK, "version": version}))
        package = self.folder / f"sums-{version}.fpk"
        self.cli("pack", folder, "-o", package)
        return package

    def publish(self, version, *arguments):
        return self.cli("publish", self.pack(version), "--dir", self.publisher, *arguments)

    def targets(self):
        return json.loads(base64.b64decode(self.server.api.get("/metadata/targets")["document"]))

    def sign_targets(self, signed):
        """What the publisher's targets key would sign."""
        key = json.loads((self.publisher / "keys/targets-1.json").read_text())
        message = json.dumps(signed, sort_keys=True, separators=(",", ":")).encode()
        keyid = self.cli("keys", "show", "--dir", self.publisher)["roles"]["targets"]["keys"][0]
        signature = {"keyid": keyid, "sig": ed25519.sign(bytes.fromhex(key["private"]), message).hex()}
        return json.dumps({"signatures": [signature], "signed": signed}).encode()

    def test_targets_that_no_device_can_get_are_refused(self):
        self.publish("1.0.0")
        signed = self.targets()["signed"]
        entry = signed["targets"]["sums/1.0.0/full"]
        absent = []
        for i in range(13_000):
            path = f"many-{i}/1.0.0/full"
            signed["targets"][path] = {**entry, "custom": {**entry["custom"], "package": f"many-{i}"}}
            absent.append(path)
        signed["version"] += 1
        document = self.sign_targets(signed)
        self.assertGreater(len(document), 4 << 20)
        with self.assertRaisesRegex(Failed, "limit_exceeded.*at most 4190208 fit a frame"):
            self.server.api.post("/packages", {"targets": base64.b64encode(document).decode(), "keys": [], "absent": absent})
        self.assertEqual(self.server.api.get("/status")["metadata"]["targets"], 1)

    def listed(self):
        answer = self.cli("package", "list")
        return ([(item["version"], item["release_counter"]) for item in answer["packages"]],
                [(item["version"], item["reason"]) for item in answer["withdrawn"]])

    def withdraw(self, version, *arguments):
        return self.cli("package", "withdraw", "sums", version, "--dir", self.publisher, "--reason", "leaks", *arguments)

    def test_a_version_is_withdrawn_and_its_number_stays_used(self):
        for version in ("1.0.0", "2.0.0", "3.0.0"):
            self.publish(version)
        before = self.targets()["signed"]["version"]
        self.assertEqual(self.withdraw("3.0.0")["targets_version"], before + 1)
        self.assertEqual(self.listed(), ([("1.0.0", 1), ("2.0.0", 2)], [("3.0.0", "leaks")]))
        signed = self.targets()["signed"]
        self.assertEqual(sorted(signed["targets"]), ["sums/1.0.0/full", "sums/2.0.0/full"])
        self.assertNotIn("3.0.0", "".join(key.read_text() for key in self.publisher.glob("published/*.json")))
        with self.assertRaisesRegex(Failed, "was withdrawn; it needs a new version"):
            self.publish("3.0.0")
        self.assertEqual(self.publish("3.1.0")["release_counter"], 4)
        with self.assertRaisesRegex(Failed, "sums 1.0.0 is the fallback of 2.0.0"):
            self.withdraw("1.0.0")
        self.withdraw("1.0.0", "--force")
        with self.assertRaisesRegex(Failed, "is withdrawn already"):
            self.withdraw("1.0.0")

    def test_a_version_that_a_release_gives_out_stays_unless_forced(self):
        self.publish("1.0.0")
        made = self.cli("release", "start", "--package", "sums", "--version", "1.0.0", "--rule", 'os == "linux"', "--no-simulation")
        release = made["id"]
        with self.assertRaisesRegex(Failed, f"release {release} .* gives out sums 1.0.0"):
            self.withdraw("1.0.0")
        self.assertEqual(self.listed()[0], [("1.0.0", 1)])
        self.withdraw("1.0.0", "--force")
        self.assertEqual(self.listed(), ([], [("1.0.0", "leaks")]))

    def test_refresh_signs_later_expiries_without_a_publication(self):
        self.publish("1.0.0")
        before = self.targets()["signed"]
        shown = self.cli("keys", "refresh", "--dir", self.publisher, "--days", "20", "--targets-days", "10")
        self.assertEqual((shown["root_version"], shown["targets_version"]), (2, 2))
        self.assertEqual((shown["uploaded_roots"], shown["uploaded_targets"]), (1, True))
        self.assertEqual([warning.split()[0] for warning in shown["warnings"]], ["root", "targets"])
        states = {thing["what"]: thing["state"] for thing in self.server.api.get("/status")["expires"]}
        self.assertEqual((states["metadata root"], states["metadata targets"]), ("soon", "soon"))
        shown = self.cli("keys", "refresh", "--dir", self.publisher)
        self.assertEqual(shown["warnings"], [])
        after = self.targets()["signed"]
        self.assertEqual(after["targets"], before["targets"])
        self.assertEqual(after["version"], 3)
        self.assertGreaterEqual(after["expires"], before["expires"])
        shown = self.cli("keys", "refresh", "--dir", self.publisher, "--role", "targets")
        self.assertEqual((shown["root_version"], shown["targets_version"]), (3, 4))


class SignersTest(unittest.TestCase):
    """Two of two keys of each role must sign; the second ones lie on another machine."""

    pack, publish, targets = PackageTest.pack, PackageTest.publish, PackageTest.targets

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="ferry-signers-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.server = Server(BIN, self.folder / "server")
        online = self.server.init()
        self.server.start()
        self.addCleanup(lambda: self.server.stop())
        self.server.api.login(self.server.password)
        self.cli = Cli(BIN, {"FERRY_SERVER": self.server.url, "FERRY_TOKEN": self.server.api.token})
        self.publisher, self.other = self.folder / "publisher", self.folder / "other"
        two = [part for role in ("root", "targets") for part in (f"--{role}-keys", "2", f"--{role}-threshold", "2")]
        self.cli("keys", "init", "--dir", self.publisher, "--online-keys", online["online_keys"], *two)
        self.cli("keys", "upload", "--dir", self.publisher)
        self.other.mkdir()
        for role in ("root", "targets"):
            (self.publisher / f"keys/{role}-2.json").rename(self.other / f"{role}-2.json")

    def sign(self, document, role):
        """On the other machine: the document alone travels."""
        there = self.other / "document.json"
        shutil.copy(document, there)
        done = self.cli("keys", "sign", there, "--key", self.other / f"{role}-2.json", "--root", self.publisher / "root.json")
        shutil.copy(there, document)
        return done["signatures"], done["needed"]

    def test_a_publication_waits_for_the_second_signer(self):
        with self.assertRaisesRegex(Failed, "1 of the 2 targets keys"):
            self.publish("1.0.0")
        staged = self.publish("1.0.0", "--stage-only")["staged"]
        with self.assertRaisesRegex(Failed, "bad_signature.*1 of 2 needed keys signed"):
            self.cli("publish", "--signed", staged, "--dir", self.publisher)
        # Nor does the server take it, by whichever way it comes.
        with self.assertRaisesRegex(Failed, "bad_signature"):
            self.server.api.post("/packages", {"targets": base64.b64encode(pathlib.Path(staged).read_bytes()).decode(), "keys": []})
        self.assertEqual(self.cli("package", "list")["packages"], [])
        with self.assertRaisesRegex(Failed, "wrong_key.*is not of the role targets"):
            self.cli("keys", "sign", staged, "--key", self.other / "root-2.json", "--root", self.publisher / "root.json")
        self.assertEqual(self.sign(staged, "targets"), (2, 2))
        self.cli("publish", "--signed", staged, "--dir", self.publisher)
        self.assertEqual([item["version"] for item in self.cli("package", "list")["packages"]], ["1.0.0"])
        self.assertEqual(len(self.targets()["signatures"]), 2)
        self.assertEqual(list((self.publisher / "staged").iterdir()), [])

    def test_what_was_staged_cannot_be_changed_on_the_way(self):
        staged = pathlib.Path(self.publish("1.0.0", "--stage-only")["staged"])
        self.sign(staged, "targets")
        document = json.loads(staged.read_text())
        document["signed"]["targets"]["sums/1.0.0/full"]["length"] += 1
        staged.write_text(json.dumps(document))
        with self.assertRaisesRegex(Failed, "bad_signature"):
            self.cli("publish", "--signed", staged, "--dir", self.publisher)

    def test_withdrawal_and_refresh_wait_as_well(self):
        staged = self.publish("1.0.0", "--stage-only")["staged"]
        self.sign(staged, "targets")
        self.cli("publish", "--signed", staged, "--dir", self.publisher)
        staged = self.cli("package", "withdraw", "sums", "1.0.0", "--dir", self.publisher, "--reason", "bad",
                          "--stage-only")["staged"]
        self.sign(staged, "targets")
        self.cli("publish", "--signed", staged, "--dir", self.publisher)
        self.assertEqual([item["reason"] for item in self.cli("package", "list")["withdrawn"]], ["bad"])
        root, targets = self.cli("keys", "refresh", "--dir", self.publisher, "--stage-only")["staged"]
        with self.assertRaisesRegex(Failed, "bad_signature"):
            self.cli("keys", "take", root, "--dir", self.publisher)
        self.assertEqual(self.cli("keys", "show", "--dir", self.publisher)["root_version"], 1)
        self.sign(root, "root")
        self.sign(targets, "targets")
        self.cli("keys", "take", root, "--dir", self.publisher)
        self.cli("keys", "take", targets, "--dir", self.publisher)
        with self.assertRaisesRegex(Failed, "version_rollback|malformed|bad_signature"):
            self.cli("keys", "take", targets, "--dir", self.publisher)
        sent = self.cli("keys", "upload", "--dir", self.publisher)
        self.assertEqual((sent["uploaded_roots"], sent["uploaded_targets"]), (1, True))
        self.assertEqual(self.server.api.get("/status")["metadata"]["targets"], 3)


if __name__ == "__main__":
    unittest.main(verbosity=2)
