#!/usr/bin/env python3
"""The main job, end to end: a model and a task go from a publisher through the cloud to devices and run there.

Every number that is printed was read from the programs; a step that does not end as it must ends the demo with status 1.
"""
import argparse
import pathlib
import shutil
import signal
import sys
import time

import report
from digits import Digits
from fleet import Failed
from steps import MainJob

ROOT = pathlib.Path(__file__).resolve().parents[2]


def parse():
    parser = argparse.ArgumentParser(prog="tools/dev demo", description=__doc__.splitlines()[0])
    parser.add_argument("--once", action="store_true", help="end when the job is done, with status 0 or 1")
    parser.add_argument("--bin", default=ROOT / "build/release/bin", type=pathlib.Path, help="folder of the programs")
    parser.add_argument("--keep", type=pathlib.Path, help="work in this folder (must not exist) and leave it")
    parser.add_argument("--cluster", action="store_true", help="two nodes of one server instead, one of which is killed; needs PostgreSQL, NATS and node")
    parser.add_argument("--tenant", help="name of the server's tenant; that of `ferry-server init` if absent")
    return parser.parse_args()


def make_job(options, folder):
    if options.cluster:
        from cluster_steps import ClusterJob  # needs what the tests of clusters need
        return ClusterJob(options.bin.resolve(), folder)
    return MainJob(options.bin.resolve(), folder, ROOT / "tasks/digits", Digits(ROOT / "tasks/digits"), options.tenant)


def main():
    options = parse()
    # Whoever ends the demo, Ctrl-C or a supervisor, it ends its server and devices.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    folder = options.keep or ROOT / "build/demo"
    if options.keep is None:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    job = make_job(options, folder.resolve())
    started = time.monotonic()
    try:
        for step in job.steps():
            print(f"\n== {step.__doc__}", flush=True)
            step()
        if not options.cluster:
            report.print_table(job)
        print(f"\nAll steps ended as they must, in {time.monotonic() - started:.0f} s.")
        print(f"\n{job.server.console_line()}", flush=True)
        if not options.once:
            print(f"Files: {folder}   Ctrl-C ends server and devices.", flush=True)
            while True:
                time.sleep(1)
        return 0
    except Failed as failure:
        print(f"\nFAILED: {failure}\nLogs are in {folder}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0
    finally:
        job.stop()


if __name__ == "__main__":
    sys.exit(main())
