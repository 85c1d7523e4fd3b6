"""An app that embeds the SDK joins a server, receives a release, and runs it in its own process."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))
from digits import Digits  # noqa: E402
from fleet import Cloud, wait_for  # noqa: E402
import python_binding  # noqa: E402
import variants  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))


class ConnectedTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-sdk-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cloud = Cloud(BIN, self.folder)
        self.addCleanup(self.cloud.server.stop)
        self.api, cli, publisher = self.cloud.server.api, self.cloud.cli, self.cloud.publisher
        package = self.folder / "digits.fpk"
        cli("pack", variants.make(ROOT / "tasks/digits", self.folder / "digits", "1.0.0"), "-o", package)
        cli("publish", package, "--dir", publisher)

    def test_an_app_receives_and_runs_a_release(self):
        token = self.api.post("/join-tokens", {"uses": 1})["token"]
        app = subprocess.Popen([str(BIN / "ferry-embed"), "--state", str(self.folder / "app"), "--join", token],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(app.stdout.close)
        self.addCleanup(app.stderr.close)
        self.addCleanup(app.wait)
        self.addCleanup(app.kill)
        device = wait_for("the app to join", lambda: self.api.get("/devices")["devices"], 30)[0]
        release = self.api.post("/releases", {"package": "digits", "version": "1.0.0", "rule": "", "start": True,
                                              "stages": [{"kind": "simulation"}, {"kind": "full", "min_reports": 1}]})
        wait_for("the release to complete", lambda: self.api.get(f"/releases/{release['id']}")["state"] == "complete", 60)
        self.assertEqual(self.api.get(f"/devices/{device['id']}")["running"], {"digits": "1.0.0"})
        digits = Digits(ROOT / "tasks/digits")
        out, log = app.communicate("".join(line + "\n" for line in digits.events(range(20), 1_700_000_000_000)), timeout=60)
        results = [json.loads(line)["result"] for line in out.splitlines() if "result" in json.loads(line)]
        self.assertEqual([item["image"] for item in results], list(range(20)), log)
        right = sum(item["digit"] == digits.labels[item["image"]] for item in results)
        self.assertGreaterEqual(right, 19)

    def test_the_same_in_python(self):
        if not (python_binding.LIBRARIES / "_ferry.abi3.so").exists():
            print(f"SKIPPED: no _ferry.abi3.so in {python_binding.LIBRARIES}", file=sys.stderr)
            self.skipTest("no extension")
        token = self.api.post("/join-tokens", {"uses": 1})["token"]
        self.api.post("/releases", {"package": "digits", "version": "1.0.0", "rule": "tag(\"lab\")", "start": True,
                                    "stages": [{"kind": "full", "min_reports": 1}]})
        digits = Digits(ROOT / "tasks/digits")
        events = list(digits.events(range(20), 1_700_000_000_000))
        done = python_binding.run(PYTHON_APP, self.folder / "app", token, input="\n".join(events))
        self.assertEqual(done.returncode, 0, done.stderr)
        results = json.loads(done.stdout)
        self.assertEqual([item["image"] for item in results], list(range(20)))
        self.assertGreaterEqual(sum(item["digit"] == digits.labels[item["image"]] for item in results), 19)


PYTHON_APP = """
import json, sys, time, ferry
results = []
deadline = time.monotonic() + 40
def wait(what):
    while not what():
        assert time.monotonic() < deadline, (runtime.status, len(results))
        time.sleep(0.05)
with ferry.Runtime(lambda result: results.append(result["result"])) as runtime:
    runtime.start_agent(sys.argv[1], join_token=sys.argv[2], profile={"tags": ["lab"]})
    runtime.set_conditions(idle=True)
    wait(lambda: "digits" in runtime.status["agent"]["packages"])
    for line in sys.stdin:
        runtime.send(line, durable=True)
    wait(lambda: len(results) >= 20)
    assert runtime.model("digits:digits").inputs[0].name == "image"
    try:
        runtime.start_agent(sys.argv[1])
    except ferry.Error as error:
        assert error.name == "failed_precondition" or error.name == "already_exists", error.name
print(json.dumps(results))
"""


if __name__ == "__main__":
    unittest.main(verbosity=2)
