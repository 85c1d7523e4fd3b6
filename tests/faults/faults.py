#!/usr/bin/env python3
"""Drills on loopback with the real programs: a table of faults, and what was lost, doubled and recovered after.

usage: tools/dev faults [NAME..] [--runs N] [--json] [--list]
Exits with 1 where a drill did not hold. Each drill is one file here with run(bin_dir, folder, runs) -> Outcome.
"""
import argparse
import importlib
import json
import pathlib
import shutil
import sys
import tempfile
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from drill import Outcome, ROOT  # noqa: E402

# Name and how often it is done unless --runs says otherwise. Sorted.
DRILLS = {
    "bit_flips": 200,
    "clock_steps": 1,
    "device_killed_in_install": 200,
    "device_killed_under_events": 200,
    "device_restored": 20,
    "disk_full": 3,
    "events_before_tasks": 20,
    "flood": 1,
    "forgotten_device": 5,
    "idle_lines": 5000,
    "keys_rotated": 10,
    "long_prompt": 5,
    "reconnect_storm": 5000,
    "restored_from_backup": 50,
    "server_killed_in_ingest": 200,
    "server_killed_in_publish": 200,
    "slow_headers": 3,
    "stolen_director": 5,
    "strangers": 1000,
}
HEAD = ("fault", "runs", "lost", "doubled", "recovered_ms", "ok")


def run_drill(name, bin_dir, runs=None):
    """The drill's Outcome; one that breaks off has not held, and its note says why."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"ferry-{name}-"))
    runs = runs or DRILLS[name]
    try:
        outcome = importlib.import_module(name).run(pathlib.Path(bin_dir), folder, runs)
    except Exception as error:  # whatever a drill meets is its result
        traceback.print_exc()
        return Outcome(name, runs, ok=False, note=f"{error} (files are in {folder})")
    shutil.rmtree(folder, ignore_errors=True)
    return outcome


def main():
    parser = argparse.ArgumentParser(prog="tools/dev faults", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {', '.join(DRILLS)}; all unless told")
    parser.add_argument("--runs", type=int, help="how often each fault is done")
    parser.add_argument("--json", action="store_true", help="print a JSON array and nothing else")
    parser.add_argument("--list", action="store_true", help="print the names and what they do")
    parser.add_argument("--bin", default=ROOT / "build/release/bin", type=pathlib.Path, help="folder of the programs")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in DRILLS]
    if unknown:
        parser.error(f"no drill {', '.join(unknown)}; there are {', '.join(DRILLS)}")
    if options.list:
        for name in DRILLS:
            print(f"{name:28} {importlib.import_module(name).__doc__}")
        return 0
    outcomes = []
    for name in options.names or DRILLS:
        begun = time.monotonic()
        outcome = run_drill(name, options.bin.resolve(), options.runs)
        outcomes.append(outcome)
        print(f"{name}: {'held' if outcome.ok else 'DID NOT HOLD'}, {time.monotonic() - begun:.0f} s {outcome.note}",
              file=sys.stderr, flush=True)
    rows = [outcome.to_json() for outcome in outcomes]
    if options.json:
        print(json.dumps(rows))
    else:
        for cells in (HEAD, *([row[key] for key in HEAD] for row in rows)):
            print(f"{cells[0]:28}" + "".join(f"{str(cell):>14}" for cell in cells[1:]))
    return 0 if all(outcome.ok for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
