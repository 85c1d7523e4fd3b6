"""A device's disk is full when a version comes: it keeps what it runs, and installs soon after there is room."""
import shutil
import subprocess
import time

from drill import Failed, Job, Outcome, wait_for

DISK = "24m"
MOST_MS = 60_000


def run(bin_dir, folder, runs):
    disk = folder / "disk"
    disk.mkdir(parents=True, exist_ok=True)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(disk)], capture_output=True, text=True)
    if mounted.returncode != 0:
        return Outcome("disk_full", 0, note=f"skipped: {mounted.stderr.strip()}")
    job, longest, lost, doubled = None, 0, 0, 0
    try:
        job = Job(bin_dir, folder / "job", device_folder=disk / "device")
        ballast = disk / "ballast"
        for i in range(runs):
            job.send(10)
            if job.settle(30) != (0, 0):
                raise Failed("rows before the disk was full")
            version, before = f"1.1.{i}", job.version()
            job.publish(version)
            with open(ballast, "wb") as file:
                file.write(b"\0" * (shutil.disk_usage(disk).free - 4096))
            release = job.start_release(version)
            wait_for("the device to say so", lambda: reported(job, release, "disk_full"), 60)
            time.sleep(2)
            if job.version() != before or not job.device.process.running():
                raise Failed(f"with a full disk it runs {job.version()} instead of {before}")
            ballast.unlink()
            begun = time.monotonic()
            wait_for(f"{version} once there is room", lambda: job.version() == version, MOST_MS // 1000)
            longest = max(longest, int(1000 * (time.monotonic() - begun)))
            state = job.server.api.get(f"/releases/{release}")["state"]
            if state in ("rolling_back", "rolled_back", "stopped"):
                raise Failed(f"a full disk made the release {state}")
        job.send(10)
        lost, doubled = job.settle(30)
    finally:
        if job:
            job.stop()
        subprocess.run(["umount", "-l", str(disk)], check=False)
    return Outcome("disk_full", runs, lost, doubled, longest, lost == 0 and doubled == 0)


def reported(job, release, name):
    members = job.server.api.get(f"/releases/{release}")["members"]
    return any(member["error_name"] == name for member in members)
