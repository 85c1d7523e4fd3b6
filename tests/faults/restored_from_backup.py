"""The server is killed and restored to an earlier backup: new rows arrive once, releases go on, what was lost has a name.

`runs` is the number of devices that live through it. After the backup they send rows, finish a release that was in motion
and see two more publications; none of that is in the backup.
"""
import json
import subprocess
import threading
import time

from drill import Cloud, Device, Failed, Job, Outcome, TASK, wait_for

ROWS = 10  # of each device, in each of three parts: before the backup, after it, after the restore


class Fleet:
    """A server and a number of devices that run the drill's task."""

    def __init__(self, bin_dir, folder, count):
        self.folder = folder
        self.bin = bin_dir
        self.cloud = Cloud(bin_dir, folder)
        self.server = self.cloud.server
        self.sent = {}
        self.devices = []
        self.lock = threading.Lock()
        self.number = 0
        token = self.server.api.post("/join-tokens", {"uses": count, "valid_ms": 600_000})["token"]
        for i in range(count):
            device = Device(bin_dir, folder / f"device-{i}", f"device-{i}", {"os": "linux", "app_version": "1.0.0"},
                            poll_seconds=3600)  # what they hear, they hear because the server makes them ask
            self.devices.append(device)
            device.start(join=token)
        for device in self.devices:
            wait_for("a device to enrol", lambda: device.status().get("device_id"), 120)

    pack = Job.pack
    publish = Job.publish

    def rows(self):
        """From the first: a restored server begins to count before where it was."""
        self._rows, self._after = [], 0
        return Job.rows(self)

    def release(self, version, stages):
        path = self.folder / f"stages-{version}.json"
        path.write_text(json.dumps(stages))
        return self.cloud.cli("release", "start", "--package", TASK["name"], "--version", version, "--rule",
                              'os == "linux"', "--stages", path)["id"]

    def wait_complete(self, release, seconds=180):
        def complete():
            state = self.server.api.get(f"/releases/{release}")
            if state["state"] in ("complete", "superseded"):
                return True
            if state["state"] in ("stopped", "rolled_back", "rolling_back"):
                raise Failed(f"release {release} is {state['state']}: {state['reason']}")
            return False
        wait_for(f"release {release} to be complete", complete, seconds)

    def wait_version(self, version, seconds=180):
        for device in self.devices:
            wait_for(f"{device.name} to run {version}",
                     lambda: device.status().get("packages", {}).get(TASK["name"], {}).get("version") == version, seconds)

    def send(self, rows, part):
        """Events of every device with numbers that nobody else has; they are noted under `part`."""
        for device in self.devices:
            with self.lock:
                numbers = range(self.number, self.number + rows)
                self.number += rows
                self.sent.setdefault(part, set()).update(numbers)
            now = int(time.time() * 1000)
            device.send(json.dumps({"id": "tick", "time_ms": now, "data": {"number": n}}) for n in numbers)

    def wait_rows(self, parts, seconds=120):
        wanted = set().union(*(self.sent[part] for part in parts))
        wait_for(f"the rows of {parts}", lambda: wanted <= set(self.rows()), seconds, every=0.5)

    def ferry_server(self, *arguments):
        command = [str(self.bin / "ferry-server"), *map(str, arguments), "--dir", str(self.server.folder), "--json"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"{' '.join(command)}: {done.stdout}{done.stderr}")
        return json.loads(done.stdout)

    def stop(self):
        for device in self.devices:
            device.process.child.terminate()
        for device in self.devices:
            device.stop()
        self.server.stop()


def live(fleet, backup):
    """What happens before the restore. The release that is in motion at the backup."""
    fleet.publish("1.0.0")
    fleet.wait_complete(fleet.release("1.0.0", [{"kind": "full", "min_reports": len(fleet.devices)}]))
    fleet.publish("1.1.0")
    fleet.send(ROWS, "before")
    fleet.wait_rows(["before"])
    # A share of two devices may be nobody, and a stage that reaches nobody waits for an operator.
    moving = fleet.release("1.1.0", [{"kind": "beta", "who": 'os == "linux"', "min_reports": 1,
                                      "min_healthy_ms": 2000},
                                     {"kind": "full", "min_reports": 1, "min_healthy_ms": 100}])
    flow = threading.Thread(target=lambda: fleet.send(1, "during"))
    flow.start()
    fleet.ferry_server("backup", backup)
    flow.join()
    fleet.publish("1.2.0")  # whoever pulls 1.1.0 from here on has seen newer metadata than is in the backup
    fleet.send(ROWS, "after")
    fleet.wait_rows(["during", "after"])
    fleet.wait_complete(moving)
    fleet.wait_version("1.1.0")
    fleet.publish("1.2.1")
    return moving


def run(bin_dir, folder, runs):
    fleet = Fleet(bin_dir, folder, runs)
    backup = folder / "backup"
    try:
        moving = live(fleet, backup)
        fleet.server.kill()
        fleet.ferry_server("restore", backup, "--replace")
        fleet.server.start()
        begun = time.monotonic()
        fleet.send(ROWS, "new")
        fleet.wait_rows(["new"])
        recovered = int(1000 * (time.monotonic() - begun))
        fleet.publish("1.3.0")  # brings 1.2.0 and 1.2.1 again
        fleet.wait_complete(moving)
        fleet.wait_complete(fleet.release("1.3.0", [{"kind": "full", "min_reports": len(fleet.devices)}]))
        fleet.wait_version("1.3.0")
        sound = fleet.ferry_server("check")
        rows = fleet.rows()
        losses = fleet.server.api.get("/losses?limit=500")["losses"]
        versions = {package["version"] for package in fleet.server.api.get("/packages")["packages"]}
    finally:
        fleet.stop()
    named = sum(loss["records"] for loss in losses)
    missing = set().union(*fleet.sent.values()) - set(rows)
    unnamed = len(missing) - named
    wrong = len(missing & (fleet.sent["before"] | fleet.sent["new"]))
    note = (f"{runs} devices, {fleet.number} rows: {named} lost since the backup, in {len(losses)} named ranges; "
            f"{wrong} others; versions {' '.join(sorted(versions))}; {sound}")
    ok = (wrong == 0 and unnamed == 0 and len(rows) == len(set(rows)) and sound["ok"]
          and versions == {"1.0.0", "1.1.0", "1.2.0", "1.2.1", "1.3.0"})
    return Outcome("restored_from_backup", runs, abs(unnamed) + wrong, len(rows) - len(set(rows)), recovered, ok, note)
