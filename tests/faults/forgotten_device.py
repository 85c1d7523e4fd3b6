"""The server lacks a device, as after a restore: it says what to do, and with a token it joins again and goes on."""
import sqlite3
import time

from drill import Failed, Job, Outcome, wait_for

ROWS = 20  # of one run, before and while it is forgotten


def forget(server, device):
    """What a backup from before the device joined looks like; its other rows stay, so that all can be counted."""
    rows = sqlite3.connect(server.folder / "ferry.db")
    with rows:
        rows.execute("DELETE FROM device WHERE id = ?", (device,))
    rows.close()


def error_since(device, since_ms):
    error = device.status().get("last_error")
    return error if error and error["time_ms"] >= since_ms else None


def run(bin_dir, folder, runs):
    job, longest = Job(bin_dir, folder), 0
    try:
        identity = job.device.wait_enrolled()
        for i in range(runs):
            job.send(ROWS)
            if job.settle(20) != (0, 0):
                raise Failed("rows before the server forgot the device")
            job.device.stop()
            job.server.stop()
            forget(job.server, identity)
            job.server.start()
            since_ms = time.time() * 1000
            job.device.start()
            job.send(ROWS)
            error = wait_for("the device to say what to do", lambda: error_since(job.device, since_ms), 30)
            if error["name"] != "not_found" or "--join" not in error["text"] or not job.version():
                raise Failed(f"{error}, runs {job.version()}")
            job.device.stop()
            begun = time.monotonic()
            job.device.start(join=job.server.api.post("/join-tokens", {"uses": 1, "valid_ms": 600_000})["token"])
            lost, doubled = job.settle(30)
            longest = max(longest, int(1000 * (time.monotonic() - begun)))
            if lost or doubled or job.device.status()["device_id"] != identity:
                break
            job.release(f"1.1.{i}")
    finally:
        job.stop()
    return Outcome("forgotten_device", runs, lost, doubled, longest, lost == 0 and doubled == 0)
