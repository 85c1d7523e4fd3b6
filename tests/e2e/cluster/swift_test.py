"""Content in OpenStack Swift, which checks the signatures of S3: the blob store's conformance suite, addresses that are signed, a wrong secret."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from parts import Swift, what_swift_lacks  # noqa: E402
from fleet import Cloud, Device, wait_for  # noqa: E402

BIN = pathlib.Path(os.environ["FERRY_BIN"])
TASK = {"name": "counted", "script": "task.py", "entry": "run", "trigger": {"sequence": [{"event": "go"}]}, "version": "1.0.0"}
LACKS = what_swift_lacks()
WRONG = {"AWS_SECRET_ACCESS_KEY": "another/secret+="}


def get(address, **fields):
    """(status, body)"""
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=fields), timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


@unittest.skipIf(LACKS, f"missing: {LACKS}")
class SwiftTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-in-swift-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.swift = Swift()
        self.addCleanup(self.swift.remove)
        self.swift.start()
        self.environment = os.environ | self.swift.secrets

    def run_suite(self, environment, tests="Blobs/*S3*"):
        return subprocess.run([str(BIN / "test_cloud_server_blob"), f"--gtest_filter={tests}", "--gtest_brief=1"], capture_output=True, text=True,
                              timeout=300, env=environment | {"FERRY_TEST_S3": self.swift.url})

    def test_every_contract_holds_in_a_bucket(self):
        done = self.run_suite(self.environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("[  PASSED  ]", done.stdout)
        self.assertNotIn("SKIPPED", done.stdout)
        calls = self.swift.calls()
        self.assertEqual([call for call in calls if not call["authorization"].startswith("AWS4-HMAC-SHA256 ")], [])
        self.assertEqual({call["status"] for call in calls} - {200, 201, 204, 206, 404}, set())
        self.assertTrue([call for call in calls if "uploadId=" in call["path"] and call["method"] == "PUT"])

    def test_a_wrong_secret_is_said_at_once(self):
        done = self.run_suite(self.environment | WRONG, "Blobs/*ComesBackWhole*S3*")
        self.assertNotEqual(done.returncode, 0)
        for word in ("permission_denied", "403", "AWS_SECRET_ACCESS_KEY"):
            self.assertIn(word, done.stdout)
        self.assertNotIn(WRONG["AWS_SECRET_ACCESS_KEY"], done.stdout)
        cloud = Cloud(BIN, self.folder / "one")
        cloud.server.stop()
        done = subprocess.run([str(BIN / "ferry-server"), "run", "--dir", str(cloud.server.folder), "--blob", self.swift.url, "--wait", "60"],
                              capture_output=True, text=True, timeout=100, env=self.environment | WRONG)
        self.assertEqual(done.returncode, 1)
        self.assertIn("403", done.stderr.splitlines()[-1])
        self.assertNotIn("tried for", done.stderr)

    def test_devices_fetch_from_it_by_signed_addresses(self):
        cloud = Cloud(BIN, self.folder / "one", ("--blob", self.swift.url), environment=self.environment)
        self.addCleanup(cloud.server.stop)
        source = self.folder / "source"
        source.mkdir()
        (source / "task.py").write_text("def run(matched):\n    return 1\n")
        (source / "task.json").write_text(json.dumps(TASK))
        cloud.cli("pack", source, "-o", self.folder / "task.fpk")
        cloud.cli("publish", self.folder / "task.fpk", "--dir", cloud.publisher)
        device = Device(BIN, self.folder / "device", "device", {"os": "linux", "app_version": "1.0.0", "tags": []}, poll_seconds=1)
        self.addCleanup(device.stop)
        device.start(join=cloud.server.api.post("/join-tokens", {"uses": 1, "valid_ms": 600_000})["token"])
        device.wait_enrolled()
        cloud.server.api.post("/releases", {"package": "counted", "version": "1.0.0", "rule": "all", "start": True, "stages": [{"kind": "full"}]})
        wait_for("the version to run", lambda: device.status().get("packages", {}).get("counted", {}).get("version") == "1.0.0", 60)
        signed = [call for call in self.swift.calls() if "X-Amz-Signature=" in call["path"]]
        self.assertEqual([(call["method"], call["status"] // 100, call["authorization"]) for call in signed], [("GET", 2, "")])

        # The address is good for what it names and for nothing else, and not without its signature.
        address = self.swift.endpoint + signed[0]["path"]
        place, _, query = address.partition("?")
        status, whole = get(address)
        self.assertEqual(status, 200)
        self.assertEqual(get(address, Range="bytes=3-9"), (206, whole[3:10]))
        last = address[-1]
        for bad in (address[:-1] + ("0" if last != "0" else "1"), f"{place[:-1]}{'0' if place[-1] != '0' else '1'}?{query}", place,
                    address.replace("X-Amz-Expires=", "X-Amz-Expires=1"), address.replace("%2Fus-east-1%2F", "%2Feu-west-1%2F")):
            self.assertIn(get(bad)[0], (400, 403), bad)


if __name__ == "__main__":
    unittest.main(verbosity=2)
