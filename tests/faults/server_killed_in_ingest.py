"""The server is killed while a device hands it rows, and started again: every row is there once."""
import random
import time

from drill import Job, Outcome, wait_for

ROWS = 40  # of one run


def run(bin_dir, folder, runs):
    job, longest = Job(bin_dir, folder), 0
    try:
        for _ in range(runs):
            job.send(ROWS)
            time.sleep(random.uniform(0, 0.4))
            job.server.kill()
            job.server.start()
            begun = time.monotonic()
            job.send(1)
            wait_for("a row after the start", lambda: job.sent - 1 in job.rows(), 60)
            longest = max(longest, int(1000 * (time.monotonic() - begun)))
        lost, doubled = job.settle()
    finally:
        job.stop()
    return Outcome("server_killed_in_ingest", runs, lost, doubled, longest, lost == 0 and doubled == 0)
