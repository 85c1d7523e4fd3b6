"""A thief of the director's key tells a device assignment 2^52 + 1; a new key gives the operators their device back."""
import json
import sqlite3
import subprocess
import time

from drill import Failed, Job, Outcome, wait_for

FORGED = (1 << 52) + 1  # one more than a server believes of a device that is ahead of it


def rotate(job, bin_dir, *roles):
    """Fresh online keys, named by the publisher's next root, which the server gets at once; since when (monotonic)."""
    subprocess.run([str(bin_dir / "ferry-server"), "keys", "rotate", *roles, "--dir", str(job.server.folder), "--json"],
                   check=True, capture_output=True)
    begun = time.monotonic()
    job.cloud.cli("keys", "rotate", "--dir", job.cloud.publisher, "--role", "online")
    return begun


class Rows:
    """The server's rows while it stands still: the key lies beside them, so that a bent row is signed as a thief would."""

    def __init__(self, job):
        self.job = job

    def __enter__(self):
        self.job.server.stop()
        self.rows = sqlite3.connect(self.job.server.folder / "ferry.db")
        return self.rows

    def __exit__(self, *_):
        self.rows.commit()
        self.rows.close()
        self.job.server.start()


def forge(job):
    """The device carries out an assignment with counter FORGED that says: nothing to do."""
    with Rows(job) as rows:
        kept = rows.execute("SELECT counter, action, targets FROM assignment WHERE device = ?", [job.device.id]).fetchone()
        rows.execute("UPDATE assignment SET counter = ?, action = 'none', targets = '[]' WHERE device = ?",
                     [FORGED, job.device.id])
    wait_for("the device to believe the thief", lambda: job.device.status().get("epoch") == FORGED, 60)
    with Rows(job) as rows:
        rows.execute("UPDATE assignment SET counter = ?, action = ?, targets = ? WHERE device = ?",
                     [*kept, job.device.id])


def run(bin_dir, folder, runs):
    job, longest = Job(bin_dir, folder), 0
    try:
        job.wait_complete()
        for i in range(runs):
            before, version = job.version(), f"2.{i}.0"
            forge(job)
            job.release(version, wait=False, fallback=before)
            job.send(20)
            time.sleep(3)
            if job.version() != before:
                raise Failed("the forged counter did not hold the device: the drill shows nothing")
            begun = rotate(job, bin_dir, "director")
            wait_for(f"the device to run {version}", lambda: job.version() == version, 60)
            longest = max(longest, int(1000 * (time.monotonic() - begun)))
            release = job.server.api.get("/releases")["releases"][0]["id"]
            job.cloud.cli("rollback", release)
            wait_for(f"the device to go back to {before}", lambda: job.version() == before, 60)
            wait_for("the end of the rollback",
                     lambda: job.server.api.get(f"/releases/{release}")["state"] == "rolled_back", 60)
        lost, doubled = job.settle()
        failed = [report for report in job.server.api.get(f"/devices/{job.device.id}")["reports"]
                  if report["step"] == "failed"]
    finally:
        job.stop()
    return Outcome("stolen_director", runs, lost, doubled, longest, lost == 0 and doubled == 0 and not failed,
                   json.dumps(failed) if failed else "")
