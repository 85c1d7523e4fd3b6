"""What drills share: a cloud with one small task on one device, and the row of the table that a drill ends with."""
import dataclasses
import json
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Cloud, Device, Failed, Process, Server, wait_for  # noqa: E402

STREAM = "drill.seen"
STAGES = [{"kind": "full", "min_reports": 1, "min_healthy_ms": 100}]
PAGE = 1000  # rows in one answer of the streams' route

# Emits one row for each event, and answers with its number.
SCRIPT = """from ferry import events


def on_trigger(matched):
    number = matched[-1]["data"]["number"]
    events.emit("drill.seen", {"number": number})
    return {"number": number}
"""
TASK = {"name": "drill", "version": "1.0.0", "script": "task.py", "entry": "on_trigger",
        "trigger": {"sequence": [{"event": "tick"}]},
        "streams": [{"name": STREAM, "source": STREAM, "operators": [], "upload": True}]}


@dataclasses.dataclass
class Outcome:
    """One row: what was done how often, and what became of the numbers that went in."""
    fault: str
    runs: int
    lost: int = 0
    doubled: int = 0
    recovered_ms: int = 0  # the longest time from the fault until all worked again
    ok: bool = True
    note: str = ""

    def to_json(self):
        return dataclasses.asdict(self)


class Lines:
    """`count` devices in one process that join the server and do nothing: ferry-lines."""

    def __init__(self, bin_dir, server, count, *options):
        token = server.api.post("/join-tokens", {"uses": count, "valid_ms": 3_600_000})["token"]
        command = [str(pathlib.Path(bin_dir) / "ferry-lines"), token, "--count", str(count), *options]
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.opened = self._answer()  # waits until all are up

    def _answer(self):
        line = self.child.stdout.readline()
        if not line:
            raise Failed(f"ferry-lines ended with status {self.child.wait()}")
        return json.loads(line)

    def ask(self, text="state"):
        """How the lines stand; after "wait N" once N are up."""
        self.child.stdin.write(text + "\n")
        self.child.stdin.flush()
        return self._answer()

    def stop(self):
        self.child.stdin.close()
        self.child.stdout.close()
        self.child.kill()
        self.child.wait()


def resident_kib(process):
    """What a fleet.Process holds in memory."""
    status = pathlib.Path(f"/proc/{process.child.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


class Job:
    """A server, a publisher and one device that runs the drill's task."""

    def __init__(self, bin_dir, folder, poll_seconds=1, options=(), script=SCRIPT, environment=None, device_folder=None):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.cloud = Cloud(bin_dir, self.folder, options, environment=environment)
        self.server = self.cloud.server
        self.device = Device(bin_dir, device_folder or self.folder / "device", "device", {"os": "linux", "app_version": "1.0.0"},
                             poll_seconds=poll_seconds)
        self.sent = 0
        self._rows, self._after = [], 0
        try:
            token = self.server.api.post("/join-tokens", {"uses": 1, "valid_ms": 600_000})["token"]
            self.device.start(join=token)
            self.device.wait_enrolled()
            self.release("1.0.0", script=script)
        except BaseException:
            self.stop()
            raise

    def pack(self, version, script=SCRIPT):
        """The package's file."""
        folder = self.folder / f"task-{version}"
        folder.mkdir()
        (folder / "task.json").write_text(json.dumps({**TASK, "version": version}))
        (folder / "task.py").write_text(script)
        package = self.folder / f"drill-{version}.fpk"
        self.cloud.cli("pack", folder, "-o", package)
        return package

    def publish(self, version, script=SCRIPT, fallback=None):
        self.cloud.cli("publish", self.pack(version, script), "--dir", self.cloud.publisher,
                       *(["--fallback", fallback] if fallback else []))

    def release(self, version, wait=True, script=SCRIPT, fallback=None):
        self.publish(version, script, fallback)
        self.start_release(version)
        if wait:
            wait_for(f"the device to run {version}", lambda: self.version() == version, 60)

    def wait_complete(self):
        """Until every release is over, so that the next one can start."""
        def states():
            return {row["state"] for row in self.server.api.get("/releases")["releases"]}

        wait_for("the release to be complete", lambda: states() <= {"complete", "superseded"}, 60)

    def start_release(self, version, plan=STAGES):
        """The id of the release."""
        stages = self.folder / "stages.json"
        stages.write_text(json.dumps(plan))
        answer = self.cloud.cli("release", "start", "--package", TASK["name"], "--version", version, "--rule", 'os == "linux"',
                                "--stages", stages)
        return answer["id"]

    def version(self):
        return self.device.status().get("packages", {}).get(TASK["name"], {}).get("version")

    def send(self, count):
        """Events with the next `count` numbers."""
        now = int(time.time() * 1000)
        self.device.send(json.dumps({"id": "tick", "time_ms": now, "data": {"number": self.sent + i}})
                         for i in range(count))
        self.sent += count

    def rows(self):
        """The numbers of all rows that the server has, in its order; asks for those that came since the last call."""
        while True:
            page = self.server.api.get(f"/streams/{STREAM}?after={self._after}&limit={PAGE}")
            if not page["rows"]:
                return self._rows
            self._rows += [row["data"]["number"] for row in page["rows"]]
            self._after = page["next"]

    def results(self):
        """The numbers of all results that the device's app has."""
        return [line["result"]["number"] for line in self.device.result_lines()]

    def settle(self, seconds=60):
        """Waits until every number has arrived or none comes any more; (lost, doubled)."""
        deadline = time.monotonic() + seconds
        seen = self.rows()
        while len(set(seen)) < self.sent and time.monotonic() < deadline:
            time.sleep(0.2)
            seen = self.rows()
        return self.sent - len(set(seen)), len(seen) - len(set(seen))

    def stop(self):
        self.device.stop()
        self.server.stop()


__all__ = [
    "Cloud", "Device", "Failed", "Job", "Lines", "Outcome", "Process", "resident_kib", "ROOT", "Server",
    "STREAM", "TASK", "wait_for",
]
