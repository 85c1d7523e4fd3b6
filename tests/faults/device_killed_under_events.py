"""The device is killed while events come in, and started again: the row and the result of every event come once."""
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
            seen, begun = len(job.rows()), time.monotonic()
            job.device.start()

            def row_comes():
                job.send(1)
                return len(job.rows()) > seen

            wait_for("a row after the start", row_comes, 60, 0.1)
            longest = max(longest, int(1000 * (time.monotonic() - begun)))
        lost, doubled = job.settle(20)
        results = job.results()
        no_result, two_results = job.sent - len(set(results)), len(results) - len(set(results))
    finally:
        job.stop()
    held = not (lost or doubled or no_result or two_results)
    return Outcome("device_killed_under_events", runs, lost, doubled, longest, held,
                   f"{lost} of {job.sent} events; {no_result} results lost, {two_results} doubled")
