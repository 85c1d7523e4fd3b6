"""The online keys are replaced, one role after the other and all at once, while releases go on: no device fails."""
import time

from drill import TASK, Device, Job, Outcome, wait_for
from stolen_director import rotate

ROLES = (("director",), ("snapshot",), ("timestamp",), ("escrow",), ())  # none: all


def run(bin_dir, folder, runs):
    job, longest = Job(bin_dir, folder), 0
    more = [Device(bin_dir, job.folder / name, name, {"os": "linux", "app_version": "1.0.0"}, push, 1)
            for name, push in (("second", True), ("polls", False))]
    devices = [job.device, *more]

    def all_run(version):
        return all(device.status().get("packages", {}).get(TASK["name"], {}).get("version") == version
                   for device in devices)

    try:
        token = job.server.api.post("/join-tokens", {"uses": len(more), "valid_ms": 600_000})["token"]
        for device in more:
            device.start(join=token)
            device.wait_enrolled()
        wait_for("all devices to run 1.0.0", lambda: all_run("1.0.0"), 60)
        for i in range(runs):
            version = f"2.{i}.0"
            job.send(20)
            job.release(version, wait=False, fallback="1.0.0")
            begun = rotate(job, bin_dir, *ROLES[i % len(ROLES)])
            wait_for(f"all devices to run {version}", lambda: all_run(version), 60)
            longest = max(longest, int(1000 * (time.monotonic() - begun)))
            release = job.server.api.get("/releases")["releases"][0]["id"]
            # The way back is opened with keys that were wrapped before.
            job.cloud.cli("rollback", release)
            wait_for("all devices to go back", lambda: all_run("1.0.0"), 60)
            wait_for("the end of the rollback",
                     lambda: job.server.api.get(f"/releases/{release}")["state"] == "rolled_back", 60)
        lost, doubled = job.settle()
        failed = [f"{device.name}: {report['error_name']} {report['error_text']}" for device in devices
                  for report in job.server.api.get(f"/devices/{device.id}")["reports"] if report["step"] == "failed"]
    finally:
        for device in more:
            device.stop()
        job.stop()
    return Outcome("keys_rotated", runs, lost, doubled, longest, lost == 0 and doubled == 0 and not failed,
                   "; ".join(failed))
