"""What drills share: a cloud with one small task on one device, and the row of the table that a drill ends with."""
import dataclasses
import json
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))
from fleet import Cloud, Device, Failed, wait_for  # noqa: E402

STREAM = "drill.seen"
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


class Job:
    """A server, a publisher and one device that runs the drill's task."""

    def __init__(self, bin_dir, folder, poll_seconds=1):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.cloud = Cloud(bin_dir, self.folder)
        self.server = self.cloud.server
        self.device = Device(bin_dir, self.folder / "device", "device", {"os": "linux", "app_version": "1.0.0"},
                             poll_seconds=poll_seconds)
        self.sent = 0
        try:
            token = self.server.api.post("/join-tokens", {"uses": 1, "valid_ms": 600_000})["token"]
            self.device.start(join=token)
            self.device.wait_enrolled()
            self.release("1.0.0")
        except BaseException:
            self.stop()
            raise

    def publish(self, version, script=SCRIPT):
        folder = self.folder / f"task-{version}"
        folder.mkdir()
        (folder / "task.json").write_text(json.dumps({**TASK, "version": version}))
        (folder / "task.py").write_text(script)
        package = self.folder / f"drill-{version}.fpk"
        self.cloud.cli("pack", folder, "-o", package)
        self.cloud.cli("publish", package, "--dir", self.cloud.publisher)

    def release(self, version, wait=True):
        self.publish(version)
        stages = self.folder / "stages.json"
        stages.write_text(json.dumps([{"kind": "full", "min_reports": 1, "min_healthy_ms": 100}]))
        self.cloud.cli("release", "start", "--package", TASK["name"], "--version", version, "--rule", 'os == "linux"',
                       "--stages", stages)
        if wait:
            wait_for(f"the device to run {version}", lambda: self.version() == version, 60)

    def version(self):
        return self.device.status().get("packages", {}).get(TASK["name"], {}).get("version")

    def send(self, count):
        """Events with the next `count` numbers."""
        now = int(time.time() * 1000)
        self.device.send(json.dumps({"id": "tick", "time_ms": now, "data": {"number": self.sent + i}})
                         for i in range(count))
        self.sent += count

    def rows(self):
        """The numbers of all rows that the server has, in its order."""
        numbers, after = [], 0
        while True:
            page = self.server.api.get(f"/streams/{STREAM}?after={after}&limit={PAGE}")
            if not page["rows"]:
                return numbers
            numbers += [row["data"]["number"] for row in page["rows"]]
            after = page["next"]

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


__all__ = ["Device", "Failed", "Job", "Outcome", "ROOT", "STREAM", "wait_for"]
