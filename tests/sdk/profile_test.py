"""A device that is started again and says nothing is still what it was told to be; the runtime says the rest."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Cloud, Process, wait_for  # noqa: E402
import python_binding  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))
# Apps that start the agent and stay until their standard input ends: DIRECTORY TOKEN PROFILE, "" for none.
C_APP = r"""
#include <ferry.h>
#include <stdio.h>

static const char* or_null(const char* text) { return *text ? text : NULL; }

int main(int argc, char** argv) {
  ferry_agent_options options = {sizeof(ferry_agent_options)};
  ferry_runtime* runtime = NULL;
  if (argc != 4) return 2;
  options.directory = argv[1];
  options.join_token = or_null(argv[2]);
  options.profile_json = or_null(argv[3]);
  options.push = 1;
  if (ferry_runtime_create(NULL, NULL, NULL, &runtime) != FERRY_kOk || ferry_agent_start(runtime, &options) != FERRY_kOk) {
    fprintf(stderr, "%s\n", ferry_error_text());
    return 1;
  }
  while (getchar() != EOF) {}
  ferry_runtime_destroy(runtime);
  return 0;
}
"""
PYTHON_APP = """
import json, sys, ferry
directory, token, profile = sys.argv[1:]
with ferry.Runtime() as runtime:
    runtime.start_agent(directory, join_token=token or None, profile=json.loads(profile) if profile else None)
    sys.stdin.read()
"""
SAID = {"os": "android", "app_version": "1.2.0", "device_class": "high", "tags": ["beta"], "user": {"plan": "pro"}}


class App(Process):
    """An app that ends by itself when its standard input does."""

    def __init__(self, command, log):
        super().__init__(command, log, stdin=subprocess.PIPE, env=python_binding.ENVIRONMENT)

    def stop(self, grace=30):
        self.child.stdin.close()
        status = self.child.wait(grace)
        self._out.close()
        if status != 0:
            raise AssertionError(f"the app ended with {status}:\n{self.tail()}")


class ProfileTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-profile-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cloud = Cloud(BIN, self.folder)
        self.addCleanup(self.cloud.server.stop)
        self.api = self.cloud.server.api

    def run_device(self, *options):
        return self.known_after(lambda: Process([BIN / "ferry-device", "run", "--dir", self.folder / "state", *options],
                                                self.folder / "device.log"))

    def known_after(self, start):
        """Starts a device, waits for its login, stops it; gives what the server then knows of it."""
        # The end of the run before may be told late.
        time.sleep(1)
        known = self.api.get("/devices")["devices"]
        seen = known[0]["last_seen_ms"] if known else 0
        device = start()
        try:
            wait_for("the login", lambda: [row for row in self.api.get("/devices")["devices"] if row["last_seen_ms"] > seen and row["isa"]], 30)
        finally:
            device.stop()
        row, = self.api.get("/devices")["devices"]
        return {key: row[key] for key in SAID}, row

    def token(self):
        return self.api.post("/join-tokens", {"uses": 1})["token"]

    def test_nothing_said_keeps_what_was_said(self):
        profile = self.folder / "said.json"
        profile.write_text(json.dumps(SAID))
        self.assertEqual(self.run_device("--join", self.token(), "--profile", profile)[0], SAID)
        self.assertEqual(self.run_device()[0], SAID)
        # Other keys, and a server that has to be joined again, change nothing of it.
        device, = self.api.get("/devices")["devices"]
        self.api.post(f"/devices/{device['id']}/new-keys", {})
        self.assertEqual(self.run_device()[0], SAID)
        self.assertEqual(self.run_device("--user", "plan=free")[0], {**SAID, "user": {"plan": "free"}})
        self.assertEqual(self.run_device()[0], {**SAID, "user": {"plan": "free"}})
        profile.write_text("{}")
        self.assertEqual(self.run_device("--profile", profile)[0]["tags"], [])
        self.assertEqual(self.run_device()[0]["tags"], [])

    def check_app(self, *command):
        """An app that says its profile once, and NULL from then on."""
        def run(token, profile):
            return self.known_after(lambda: App([*command, self.folder / "state", token, profile], self.folder / "app.log"))
        self.assertEqual(run(self.token(), json.dumps(SAID))[0], SAID)
        for _ in range(2):
            self.assertEqual(run("", "")[0], SAID)
        changed = {**SAID, "tags": ["lab"], "app_version": "1.3.0"}
        self.assertEqual(run("", json.dumps(changed))[0], changed)
        known, row = run("", "")
        self.assertEqual(known, changed)
        self.assertTrue({"x86_64", "arm64"} & set(row["isa"]), row)
        known, row = run("", "{}")  # takes all of it back
        self.assertEqual((known["tags"], known["device_class"], row["os"]), ([], "", "linux"))
        self.assertEqual(run("", "")[0], known)

    def test_no_profile_in_c_keeps_what_was_said(self):
        source, program = self.folder / "app.c", self.folder / "app"
        source.write_text(C_APP)
        library = BIN.resolve().parent / "lib"
        subprocess.run(["cc", "-std=c99", "-I", ROOT / "device-runtime/api", source, "-o", program, "-L", library, "-lferry",
                        f"-Wl,-rpath,{library}"], check=True, timeout=60)
        self.check_app(program)

    def test_no_profile_in_python_keeps_what_was_said(self):
        if not (python_binding.LIBRARIES / "_ferry.abi3.so").exists():
            print(f"SKIPPED: no _ferry.abi3.so in {python_binding.LIBRARIES}", file=sys.stderr)
            self.skipTest("no extension")
        self.check_app(sys.executable, "-c", PYTHON_APP)

    def test_the_runtime_says_what_the_app_does_not(self):
        _, row = self.run_device("--join", self.token())
        self.assertEqual(row["os"], "linux")
        self.assertTrue({"x86_64", "arm64"} & set(row["isa"]), row)
        self.assertGreater(row["memory_bytes"], 1 << 20)


if __name__ == "__main__":
    unittest.main(verbosity=2)
