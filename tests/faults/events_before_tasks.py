"""Events that came while the device was off: the installed task sees each of them when the device is started."""
import time

from drill import Job, Outcome, wait_for

EVENTS = 20  # of one run


def run(bin_dir, folder, runs):
    job, longest = Job(bin_dir, folder), 0
    try:
        for _ in range(runs):
            job.device.stop()
            job.send(EVENTS)
            begun = time.monotonic()
            job.device.start()
            lost, doubled = job.settle(10)
            if lost or doubled:
                break
            longest = max(longest, int(1000 * (time.monotonic() - begun)))
        wait_for("the device's status", job.version, 10)
    finally:
        job.stop()
    return Outcome("events_before_tasks", runs, lost, doubled, longest, lost == 0 and doubled == 0)
