"""The device is killed while it installs a version: the old one or the new one runs, and in the end the new one."""
import collections
import os
import random
import re
import shutil
import signal
import subprocess
import time

from drill import Job, Outcome, Process, wait_for

LONGEST_S = 0.4  # of one install, from the release on
CALLS = ("write", "fsync", "rename", "renameat", "pwrite64", "unlink", "mkdir")
TRACED_S = 6  # for a kill at a call that may never come


def can_trace():
    if shutil.which("strace") is None:
        return False
    return subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode == 0


def start_traced(job, options):
    trace = ["strace", "-f", "-qq", *options]
    job.device.process = Process([*trace, *job.device.command()], job.device.folder / "device.log", start_new_session=True)


def count_calls(job, version):
    """How many of each of CALLS a thread makes at most, from the start of the device until it runs what is released."""
    log = job.folder / "calls.txt"
    start_traced(job, ["-o", str(log), "-e", f"trace={','.join(CALLS)}"])
    wait_for(f"{version} under strace", lambda: job.version() == version, 60)
    os.killpg(job.device.process.child.pid, signal.SIGTERM)
    job.device.process.child.wait()
    counts = collections.Counter(re.findall(r"^(\d+) +(\w+)\(", log.read_text(errors="replace"), re.MULTILINE))
    most = collections.Counter()
    for (_, call), count in counts.items():
        most[call] = max(most[call], count)  # strace counts for each thread
    return most


def kill_traced(job, most):
    """The device, killed at its n-th call of one kind; what that was."""
    call = random.choice(list(most))
    count = random.randint(1, most[call])
    start_traced(job, ["-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={count}"])
    deadline = time.monotonic() + TRACED_S
    while job.device.process.running() and time.monotonic() < deadline:
        time.sleep(0.02)
    if job.device.process.running():
        os.killpg(job.device.process.child.pid, signal.SIGKILL)
    job.device.process.child.wait()
    return f"{call} {count}"


def run(bin_dir, folder, runs):
    job, longest, lost, old, calls = Job(bin_dir, folder), 0, 0, 0, {}
    version = "1.0.0"
    try:
        job.send(1)  # a run on an event is what makes a release complete
        wait_for("the row of an event", job.rows, 30)
        if can_trace():
            job.wait_complete()
            job.device.stop()
            version = "1.1.0"
            job.release(version, wait=False)
            calls = count_calls(job, version)
            job.device.start()
            job.send(1)
            wait_for("the row of an event", lambda: job.sent - 1 in job.rows(), 30)
        for number in range(1, runs + 1):
            before, version = version, f"1.1.{number}"
            job.wait_complete()
            if calls and number % 2 == 0:
                job.device.stop()
                job.release(version, wait=False)
                at = kill_traced(job, calls)
            else:
                job.release(version, wait=False)
                time.sleep(random.uniform(0, LONGEST_S))
                job.device.process.kill()
                at = "a time"
            begun = time.monotonic()
            (job.device.folder / "status.json").unlink(missing_ok=True)
            job.device.start()
            first = wait_for(f"a version after a kill at {at}", job.version, 30, 0.02)
            old += first == before
            lost += first not in (before, version)
            wait_for(f"{version} after a kill at {at}", lambda: job.version() == version, 60)
            longest = max(longest, int(1000 * (time.monotonic() - begun)))
            job.send(1)
            # Before the next kill: events of a killed device are another drill's.
            wait_for("the row of an event", lambda: job.sent - 1 in job.rows(), 30)
        missing, doubled = job.settle(30)
    finally:
        job.stop()
    note = f"{old} began with the old version" + ("" if calls else "; no kills at system calls: strace cannot trace here")
    return Outcome("device_killed_in_install", runs, lost + missing, doubled, longest, lost + missing + doubled == 0, note)
