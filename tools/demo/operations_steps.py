"""What operators do beside the main job: a task from git, a control cohort, a stopped slice, ways back, files for one device, new keys."""
import json
import os
import subprocess
import time

from checks import check, say
from fleet import COME_BACK_SECONDS, Failed, wait_for

PACKAGE = "greet"
RULE = 'os in ("android", "ios", "linux")'
GATE = {"max_failed_percent": 25, "max_failed_min_devices": 2, "stop_slices_alone": True}
BLOCKED, OWNER = "d1", "d2"
NOTE = "note.txt"
AUTHOR = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "GIT_AUTHOR_NAME": "demo",
          "GIT_AUTHOR_EMAIL": "demo@example.org", "GIT_COMMITTER_NAME": "demo", "GIT_COMMITTER_EMAIL": "demo@example.org"}
TASK = {"name": PACKAGE, "script": "task.py", "entry": "on_trigger", "trigger": {"sequence": [{"event": "hello"}]}}
# {bug} is what a version does with a device of the middle class.
SCRIPT = """from ferry import files


def on_trigger(matched):
    data = matched[-1]["data"]
    {bug}
    note = files.read("note.txt").decode() if files.exists("note.txt") else None
    return {{"greeting": "{version}", "number": data["number"], "note": note}}
"""
GOOD, BAD = "pass", "if data[\"middle\"]: raise KeyError(\"middle\")"
MASK = (1 << 64) - 1


def bucket(salt, device):
    """In [0, 1): FNV-1a over salt, a zero byte and the id, then MurmurHash3's finaliser, as policy/target/bucket.h says."""
    value = 0xCBF29CE484222325
    for byte in f"{salt}\0{device}".encode():
        value = (value ^ byte) * 0x100000001B3 & MASK
    for shift, factor in ((33, 0xFF51AFD7ED558CCD), (33, 0xC4CEB9FE1A85EC53)):
        value = (value ^ value >> shift) * factor & MASK
    return (value ^ value >> 33) / 2**64


class Operations:
    def __init__(self, job):
        self.job = job
        self.repository = job.folder / "scenario"
        self.number = 0

    def steps(self):
        return [self.git_tag, self.control_cohort, self.stopped_slice, self.way_back, self.personal_file, self.new_keys]

    # -- helpers

    def git(self, *arguments):
        return subprocess.run(["git", *arguments], cwd=self.repository, env={**os.environ, **AUTHOR}, check=True,
                              capture_output=True, text=True).stdout.strip()

    def tag(self, version, bug=GOOD):
        """A commit on the task's branch with its tag, published from there; its id."""
        (self.repository / "task.json").write_text(json.dumps({**TASK, "version": version}))
        (self.repository / "task.py").write_text(SCRIPT.format(bug=bug, version=version))
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", f"{PACKAGE} {version}")
        self.git("tag", f"{PACKAGE}/{version}")
        return self.git("rev-parse", "HEAD")

    def publish(self, version, fallback=None):
        self.job.cli("publish", "--git", self.repository, "--tag", f"{PACKAGE}/{version}", "--dir", self.job.publisher,
                     *(["--fallback", fallback] if fallback else []))

    def release(self, version, stages, *more):
        path = self.job.folder / f"{PACKAGE}-{version}.json"
        path.write_text(json.dumps(stages))
        return self.job.cli("release", "start", "--package", PACKAGE, "--version", version, "--rule", RULE, "--stages", path,
                            *more)["id"]

    def view(self, release):
        return self.job.server.api.get(f"/releases/{release}")

    def everyone(self):
        return list(self.job.devices)

    def salt_of(self, fits, suffix=""):
        """A salt whose buckets of the devices fit: their ids are other ones in each run. (salt, buckets by name)"""
        for number in range(500):
            salt = f"operations-{number}"
            buckets = {name: bucket(salt + suffix, device.id) for name, device in self.job.devices.items()}
            if fits(buckets.values()):
                return salt, buckets
        raise Failed("no salt of 500 fits")

    def runs(self, version, names, seconds=60):
        def all_run():
            return all(self.job.devices[name].status().get("packages", {}).get(PACKAGE, {}).get("version") == version
                       for name in names)
        wait_for(f"{', '.join(names)} to run {PACKAGE} {version}", all_run, seconds)

    def greet(self, names):
        """One event each; what the scripts answer."""
        self.number += 1
        for name in names:
            middle = self.job.devices[name].profile["device_class"] == "mid"
            self.job.devices[name].send([json.dumps({"id": "hello", "time_ms": int(time.time() * 1000),
                                                     "data": {"number": self.number, "middle": middle}})])

    def answers(self, name):
        def answered():
            for line in self.job.devices[name].result_lines():
                result = line.get("result") or {}
                if result.get("number") == self.number and "greeting" in result:
                    return result
            return None
        return wait_for(f"{name} to answer", answered)

    # -- steps

    def git_tag(self):
        """8a. A task from a tag of a git repository"""
        self.repository.mkdir()
        self.git("init", "--quiet", "--initial-branch", PACKAGE)
        commit = self.tag("1.0.0")
        (self.repository / "task.py").write_text("no line of this is packed")
        self.publish("1.0.0")
        self.job.follow(self.release("1.0.0", [{"kind": "full", "min_healthy_ms": 200, "min_reports": 6}]), ["complete"])
        self.runs("1.0.0", self.everyone())
        self.greet(["d1"])
        check(self.answers("d1")["greeting"] == "1.0.0", "the tag's script does not run")
        row = self.job.cli("task", "log", PACKAGE)["log"][0]
        check(row["git"]["commit"] == commit, f"the log says {row}, the tag is {commit}")
        say(f"commit {commit[:12]} is tag {row['git']['tag']} of scenario {row['git']['scenario']}, and runs on six devices; "
            f"what lay in the work tree does not")

    def control_cohort(self):
        """8b. A cohort that is held back, to compare with"""
        self.tag("1.1.0")
        self.publish("1.1.0", "1.0.0")
        salt, buckets = self.salt_of(lambda all: sum(one < 0.5 for one in all) == 3, "/control")
        held = [name for name in self.everyone() if buckets[name] < 0.5]
        stages = [{"kind": "beta", "who": RULE, "control": 50, "hold": True, "min_healthy_ms": 200, "min_reports": 3},
                  {"kind": "full", "min_healthy_ms": 200, "min_reports": 3}]
        release = self.release("1.1.0", stages, "--salt", salt)
        taken = [name for name in self.everyone() if name not in held]
        self.runs("1.1.0", taken)
        stage = wait_for("the cohorts to be counted", lambda: next(
            (row for row in self.view(release)["stages"] if row["held_back"] == 3 and row["confirmed"] == 3), None))
        self.runs("1.0.0", held)
        say(f"{', '.join(taken)} run 1.1.0, {', '.join(held)} are held back: {stage['held_back']} control, "
            f"{stage['confirmed']} confirmed")
        self.job.cli("release", "resume", release)
        self.job.follow(release, ["complete"])
        self.runs("1.1.0", self.everyone())
        say("complete: who was held back has it too")

    def stopped_slice(self):
        """8c. A slice is stopped alone"""
        self.tag("1.2.0", BAD)
        self.publish("1.2.0", "1.1.0")
        gate = self.job.folder / "slices.json"
        gate.write_text(json.dumps(GATE))
        # Held, so that the release is not complete before the last device has it.
        release = self.release("1.2.0", [{"kind": "full", "hold": True, "min_healthy_ms": 200, "min_reports": 4}], "--gate", gate)
        self.runs("1.2.0", self.everyone())
        middle = [name for name, device in self.job.devices.items() if device.profile["device_class"] == "mid"]
        others = [name for name in self.job.devices if name not in middle]
        self.greet(self.everyone())
        for name in others:
            self.answers(name)
        stopped = wait_for("the slice to be stopped", lambda: self.view(release)["stopped_slices"])
        check(stopped == ["device_class=mid"], f"stopped: {stopped}")
        self.runs("1.1.0", middle)
        self.job.cli("release", "resume", release)
        self.job.follow(release, ["complete"])
        self.runs("1.2.0", others)
        self.bad_release = release
        say(f"{', '.join(middle)} are back at 1.1.0, {', '.join(others)} keep 1.2.0, and the release is complete")

    def way_back(self):
        """8d. All the way back, with a device that is blocked meanwhile"""
        blocked = self.job.devices[BLOCKED]
        self.job.server.api.post(f"/devices/{blocked.id}/block", {"blocked": True})
        wait_for(f"{BLOCKED} to lose its line", lambda: not blocked.connected())
        self.job.cli("release", "rollback", self.bad_release, "--why", "the demo takes it back")
        view = self.job.follow(self.bad_release, ["rolled_back"])
        self.runs("1.1.0", [name for name in self.job.devices if name != BLOCKED])
        self.runs("1.2.0", [BLOCKED])
        away = next(event for event in reversed(view["events"]) if event["kind"] == "rolled_back")
        say(f"{BLOCKED} is blocked and keeps 1.2.0: {away['text']}")
        self.job.server.api.post(f"/devices/{blocked.id}/block", {"blocked": False})
        self.runs("1.1.0", [BLOCKED], COME_BACK_SECONDS)
        say(f"{BLOCKED} is let in again and goes back by itself")

    def personal_file(self):
        """8e. A file for one device, added after publication, read by its script"""
        self.job.cli("keys", "personal", "--dir", self.job.publisher, "--package", PACKAGE)
        path = self.job.folder / NOTE
        path.write_text("for nobody else")
        self.job.cli("file", "put", "--package", PACKAGE, "--device", self.job.devices[OWNER].id, path)
        wait_for(f"{OWNER} to have it", lambda: self.job.devices[OWNER].status().get("personal") == [f"{PACKAGE}/{NOTE}"], 60)
        self.greet([OWNER, "d3"])
        notes = {name: self.answers(name)["note"] for name in (OWNER, "d3")}
        check(notes == {OWNER: path.read_text(), "d3": None}, f"the scripts read {notes}")
        say(f"the script on {OWNER} reads \"{notes[OWNER]}\", the one on d3 nothing")

    def new_keys(self):
        """8f. The server's online keys are replaced while a release is under way"""
        self.tag("1.3.0")
        self.publish("1.3.0", "1.1.0")
        salt, _ = self.salt_of(lambda all: min(all) < 0.5 <= max(all))
        release = self.release("1.3.0", [{"kind": "gray", "percent": 50, "hold": True, "min_healthy_ms": 200, "min_reports": 1},
                                         {"kind": "full", "min_healthy_ms": 200, "min_reports": 1}], "--salt", salt)
        wait_for("a device to have it", lambda: self.view(release)["stages"][0]["confirmed"] > 0, 60)
        subprocess.run([str(self.job.bin / "ferry-server"), "keys", "rotate", "--dir", str(self.job.server.folder), "--json"],
                       check=True, capture_output=True)
        self.job.cli("keys", "rotate", "--dir", self.job.publisher, "--role", "online")
        self.job.cli("release", "resume", release)
        self.job.follow(release, ["complete"])
        self.runs("1.3.0", self.everyone())
        failed = [member["device"] for member in self.view(release)["members"] if member["outcome"] == "failed"]
        check(not failed, f"failed: {failed}")
        say("director, snapshot, timestamp and escrow keys are new ones, and no device failed")
