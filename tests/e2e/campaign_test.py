"""Campaigns, as operators use them: the command line against a running server with two devices."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Cloud, Device, wait_for  # noqa: E402

BIN = pathlib.Path(os.environ.get("FERRY_BIN", ROOT / "build/release/bin"))
SCRIPT = "def on_trigger(matched):\n    return {'sum': sum(matched[-1]['data']['numbers'])}\n"
STAGES = [{"kind": "full", "min_reports": 2, "min_healthy_ms": 100}]


class Waiter(Device):
    """A device whose host says in a file what it is at."""

    def command(self, join=None):
        return super().command(join) + ["--conditions", self.folder / "conditions.json"]

    def is_at(self, **conditions):
        fresh = self.folder / "conditions.new"
        fresh.write_text(json.dumps(conditions))
        fresh.rename(self.folder / "conditions.json")


class CampaignTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ferry-campaign-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cloud = Cloud(BIN, self.folder)
        self.addCleanup(self.cloud.server.stop)
        self.devices = []

    def add_device(self, name, **conditions):
        device = Waiter(BIN, self.folder / name, name, {"os": "linux", "app_version": "1.0.0"}, poll_seconds=2)
        device.is_at(**conditions)
        device.start(join=self.cloud.cli("device", "join-token", "--uses", 1)["token"])
        self.addCleanup(device.stop)
        device.wait_enrolled()
        self.devices.append(device)
        return device

    def publish(self, package, version="1.0.0"):
        task = {"name": package, "version": version, "script": "task.py", "entry": "on_trigger",
                "trigger": {"sequence": [{"event": "number"}]}, "streams": []}
        folder = self.folder / f"{package}-{version}"
        folder.mkdir()
        (folder / "task.json").write_text(json.dumps(task))
        (folder / "task.py").write_text(SCRIPT)
        file = self.folder / f"{package}-{version}.fpk"
        self.cloud.cli("pack", folder, "-o", file)
        self.cloud.cli("publish", file, "--dir", self.cloud.publisher)

    def write(self, name, **changes):
        spec = {"name": name, "releases": [{"package": "one", "version": "1.0.0", "stages": STAGES},
                                           {"package": "two", "version": "1.0.0", "stages": STAGES}], **changes}
        file = self.folder / f"{name}.json"
        file.write_text(json.dumps(spec))
        return file

    def show(self, campaign):
        return self.cloud.cli("campaign", "show", campaign)

    def wait_state(self, campaign, *states):
        return wait_for(f"{campaign} to be {states}", lambda: (now := self.show(campaign))["state"] in states and now, 60)

    def wish(self, device, package):
        return device.status().get("desired", {}).get("packages", {}).get(package, {})

    def bad(self, name, *arguments):
        done = self.cloud.cli.run(*arguments)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        error = json.loads(done.stdout)["error"]
        self.assertEqual(error["name"], name, error)
        return error["text"]

    def test_releases_follow_each_other_on_devices_that_wait(self):
        for package in ("one", "two"):
            self.publish(package)
        ready, busy = self.add_device("ready"), self.add_device("busy", charging=False, unmetered=True)
        file = self.write("autumn", when={"charging": True, "unmetered": True}, retries={"count": 1, "backoff_ms": 1000},
                          rate={"per_minute": 60, "factor": 2, "after_succeeded": 1, "max_per_minute": 600})
        made = self.cloud.cli("campaign", "start", file, "--why", "as agreed")
        self.assertEqual((made["id"], made["state"]), ("autumn-1", "running"))
        self.assertEqual([each["state"] for each in made["releases"]][1], None)
        self.assertIn("as agreed", made["events"][0]["text"])

        wait_for("the first device to run it", lambda: self.wish(ready, "one").get("outcome") == "confirmed")
        waiting = wait_for("the other to wait", lambda: self.wish(busy, "one").get("waiting"))
        self.assertEqual(waiting, "the device is not charging")
        release = made["releases"][0]["release"]
        wait_for("the server to know", lambda: {"waiting", "confirmed"} <= {
            member["step"] for member in self.cloud.cli("release", "show", release)["members"]})
        # Nothing of it is lost with the server's process.
        self.cloud.server.kill()
        self.cloud.server.start()
        self.assertEqual(self.show("autumn-1")["state"], "running")
        self.assertEqual(len(self.show("autumn-1")["started_releases"]), 1)

        busy.is_at(charging=True, unmetered=True)
        done = self.wait_state("autumn-1", "complete")
        self.assertEqual([(each["package"], each["state"], each["confirmed"]) for each in done["releases"]],
                         [("one", "complete", 2), ("two", "complete", 2)])
        self.assertEqual(done["releases"][0]["per_minute"], 240)
        kinds = [event["kind"] for event in done["events"]]
        self.assertEqual(kinds, ["created", "started", "release", "release", "complete"])
        for device in self.devices:
            self.assertEqual(set(device.status()["packages"]), {"one", "two"})
        text = subprocess.run([BIN / "ferry", "campaign", "show", "autumn-1"], capture_output=True, text=True,
                              env=self.cloud.cli.environment).stdout
        self.assertIn("every release is complete", text)
        self.assertRegex(text, r"two +1\.0\.0 +complete +two-1\.0\.0-2 +complete")

    def test_a_stop_takes_all_of_it_back(self):
        for package in ("one", "two"):
            self.publish(package)
        devices = [self.add_device("a"), self.add_device("b")]
        held = [{**STAGES[0], "hold": True}]
        file = self.write("winter", on_stop="rollback_all", releases=[
            {"package": "one", "version": "1.0.0", "stages": STAGES}, {"package": "two", "version": "1.0.0", "stages": held}])
        self.cloud.cli("campaign", "start", file)
        second = wait_for("the second release", lambda: self.show("winter-1")["releases"][1]["release"])
        for device in devices:
            wait_for("both packages", lambda: set(device.status()["packages"]) == {"one", "two"})
        self.cloud.cli("release", "rollback", second, "--why", "it is wrong")
        gone = self.wait_state("winter-1", "rolled_back")
        self.assertEqual([each["state"] for each in gone["releases"]], ["rolled_back", "rolled_back"])
        for device in devices:
            wait_for("nothing to be left", lambda: device.status()["packages"] == {})
        self.assertIn("it is wrong", gone["events"][-2]["text"])

    def test_orders_have_reasons_and_are_logged(self):
        self.publish("one")
        self.add_device("a")
        file = self.write("spring", releases=[{"package": "one", "version": "1.0.0", "stages": [{**STAGES[0], "hold": True}]}])
        campaign = self.cloud.cli("campaign", "start", file)["id"]
        release = self.show(campaign)["releases"][0]["release"]

        def state():
            return self.cloud.cli("release", "show", release)["state"]
        self.assertEqual(self.cloud.cli("campaign", "pause", campaign, "--why", "lunch")["reason"], "paused by admin: lunch")
        self.assertEqual(state(), "paused")
        self.assertIn("is paused", self.bad("failed_precondition", "campaign", "pause", campaign))
        self.cloud.cli("campaign", "resume", campaign, "--why", "back")
        self.assertEqual(state(), "full")
        self.assertIn("no device has failed", self.bad("failed_precondition", "campaign", "retry", campaign))
        self.cloud.cli("campaign", "halt", campaign, "--why", "enough")
        self.assertEqual(state(), "stopped")
        self.cloud.cli("campaign", "kill", campaign, "--why", "it drains batteries")
        self.assertEqual(state(), "killed")
        self.cloud.cli("campaign", "rollback", campaign, "--why", "all of it")
        self.wait_state(campaign, "rolled_back")
        self.assertEqual([row["id"] for row in self.cloud.cli("campaign", "list")["campaigns"]], [campaign])
        logged = {(row["action"], row["target"]): row["reason"] for row in self.cloud.cli("audit", "--limit", 100)["rows"]
                  if "/campaigns" in row["action"] and row["outcome"] == "done"}
        self.assertEqual(logged[("POST /api/v1/campaigns/{id}/kill", campaign)], "it drains batteries")
        self.assertIn(("POST /api/v1/campaigns", "spring"), logged)
        self.bad("not_found", "campaign", "show", "nothing-1")

    def test_bad_files_are_refused_by_name(self):
        self.publish("one")
        start = ("campaign", "start")
        self.assertIn("nowhere", self.bad("not_found", *start, self.folder / "nowhere.json"))
        self.assertIn("releases[1]", self.bad("not_found", *start, self.write("a")))
        self.assertIn("releases: there is none", self.bad("invalid_argument", *start, self.write("b", releases=[])))
        wrong = self.write("c", when={"windows": [{"from": "9", "to": "10:00"}]})
        self.assertIn('releases[0]: when: windows[0]: from "9"', self.bad("malformed", *start, wrong))
        self.assertIn("deadline", self.bad("malformed", *start, self.write("d", deadline="soon")))
        self.assertEqual(self.cloud.cli("campaign", "list"), {"campaigns": []})


if __name__ == "__main__":
    unittest.main()
