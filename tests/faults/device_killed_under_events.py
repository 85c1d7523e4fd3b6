"""The device is killed while events come in, and started again: the row of every event reaches the server once."""
import random
import time

from drill import Job, Outcome, wait_for

EVENTS = 80  # of one run


def run(bin_dir, folder, runs):
    job, longest = Job(bin_dir, folder), 0
    try:
        for _ in range(runs):
            job.send(EVENTS)
            time.sleep(random.uniform(0, 0.3))
            job.device.process.kill()
            begun, seen = time.monotonic(), len(job.rows())
            job.device.start()

            def row_comes():
                job.send(1)
                return len(job.rows()) > seen

            wait_for("a row after the start", row_comes, 60, 0.2)
            longest = max(longest, int(1000 * (time.monotonic() - begun)))
        lost, doubled = job.settle(20)
    finally:
        job.stop()
    return Outcome("device_killed_under_events", runs, lost, doubled, longest, lost == 0 and doubled == 0,
                   f"{lost} of {job.sent} events")
