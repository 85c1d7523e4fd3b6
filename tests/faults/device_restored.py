"""The device's state comes from an old copy, or two processes run on copies: no new row is lost, and it is named."""
import os
import shutil
import time

from drill import Device, Job, Outcome, wait_for

EVENTS = 20  # of each part of a run


def settled(job):
    """All that was sent has arrived, and the device knows."""
    lost, _ = job.settle(20)
    wait_for("the device's outbox to be empty", lambda: job.device.status().get("outbox", {}).get("queued") == 0, 20)
    return lost == 0


def state_of(job, since_ms=0):
    """What the server noted since then; "" for nothing."""
    device = job.server.api.get(f"/devices/{job.device.id}")
    return device.get("state", "") if device.get("state_ms", 0) >= since_ms else ""


def restore(job, copy):
    """What happened between the copy and the end is gone from the device, its events too."""
    state = job.device.folder / "state"
    shutil.copytree(state, copy)
    sizes = {path: path.stat().st_size for path in (job.device.events, job.device.results)}
    job.device.start()
    job.send(EVENTS)
    held = settled(job)
    job.device.stop()
    shutil.rmtree(state)
    copy.rename(state)
    for path, size in sizes.items():
        os.truncate(path, size)
    return held


def run_copied(job, folder):
    """Two processes on copies of one state, each with events of its own."""
    job.device.stop()
    other = Device(job.device.bin, folder / "other", "other", job.device.profile, poll_seconds=1)
    shutil.copytree(job.device.folder / "state", other.folder / "state")
    job.device.start()
    other.start()
    first = job.device
    other.id = first.id
    try:
        for _ in range(3):
            for job.device in (first, other):
                job.send(EVENTS)
                time.sleep(0.5)
        wait_for("the copies to be named", lambda: state_of(job) == "copied", 60)
        lost, _ = job.settle(60)
    finally:
        other.stop()
        job.device = first
    return lost == 0


def run(bin_dir, folder, runs):
    job, longest, notes = Job(bin_dir, folder), 0, []
    try:
        for number in range(runs):
            job.send(EVENTS)
            if not settled(job):
                break
            job.device.stop()
            if not restore(job, job.folder / "copy"):
                break
            begun, since_ms = time.monotonic(), int(1000 * time.time())
            job.device.start()
            job.send(EVENTS)
            if not settled(job):
                notes.append(f"rows after restore {number + 1} were lost")
                break
            longest = max(longest, int(1000 * (time.monotonic() - begun)))
            if state_of(job, since_ms) != "restored":
                notes.append(f"restore {number + 1} was not named")
                break
        else:
            if not run_copied(job, job.folder):
                notes.append("rows of two copies were lost")
        lost, doubled = job.settle(5)
    finally:
        job.stop()
    return Outcome("device_restored", runs, lost, doubled, longest, not (lost or doubled or notes), "; ".join(notes))
