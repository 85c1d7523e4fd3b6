#!/usr/bin/env python3
"""Measures the task VM against the system's Python on the same scripts, in one run.

usage: tools/dev bench vm [--filter TEXT] [--rounds N] [--python PATH] [--lua PATH] [--json]

Round by round, program by program, each interpreter runs the script in a process of its own, one after
the other; figures are medians of the processor time less that of an empty script. Only ratios of one
run count. Then: two isolates on two threads, what counting instructions costs, start-up, memory of an
isolate, size. Fails when an output differs from Python's.
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"


def arguments():
    parser = argparse.ArgumentParser(prog="tools/dev bench vm", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", default="", help="only programs whose name contains this")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--python", default="/usr/bin/python3", metavar="PATH")
    parser.add_argument("--lua", default=shutil.which("lua5.4"), metavar="PATH",
                        help="start-up and memory beside it, too")
    parser.add_argument("--json", action="store_true", help="all figures as JSON")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin",
                        help=argparse.SUPPRESS)
    return parser.parse_args()


class Run:
    """One process: what it printed, its processor and wall seconds, its greatest memory."""

    def __init__(self, command):
        start = time.perf_counter()
        with tempfile.TemporaryFile() as out:
            process = subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE)
            error = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            process.stderr.close()
            out.seek(0)
            self.output = out.read()
        self.wall = time.perf_counter() - start
        self.seconds = usage.ru_utime + usage.ru_stime
        self.kilobytes = usage.ru_maxrss
        if process.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}: {error.decode(errors='replace')}")


def programs(options):
    return [path for path in sorted(PROGRAMS.glob("*.py")) if options.filter in path.stem]


def compare(options, ours, theirs, empty):
    """Every program in rounds: {name: {"ferry", "python", "ratio"}}."""
    found = programs(options)
    samples = {path: ([], []) for path in found}
    idle = ([], [])
    wrong = []
    for turn in range(options.rounds):
        for command, times in zip((ours, theirs), idle):
            times.append(Run([*command, empty]).seconds)
        for path in found:
            print(f"round {turn + 1}: {path.stem}", file=sys.stderr, flush=True)
            runs = [Run([*command, path]) for command in (ours, theirs)]
            for run, times in zip(runs, samples[path]):
                times.append(run.seconds)
            if runs[0].output != runs[1].output and path.stem not in wrong:
                wrong.append(path.stem)
    base = [statistics.median(times) for times in idle]
    rows = {}
    for path in found:
        ferry, python = (max(statistics.median(times) - less, 1e-4)
                         for times, less in zip(samples[path], base))
        rows[path.stem] = {"ferry": ferry, "python": python, "ratio": python / ferry}
    return rows, wrong


def medians(rounds, *measures):
    """Interleaved: the median of each measure."""
    samples = [[measure() for measure in measures] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*samples)]


def scaling(options, program, path):
    """Throughput of two isolates on two threads over one, beside what two processes get: the machine's own limit."""
    def seconds(threads, processes=1):
        with concurrent.futures.ThreadPoolExecutor(processes) as pool:
            command = [program, "--threads", str(threads), path]
            return max(json.loads(run.output)["seconds"] for run in pool.map(Run, [command] * processes))
    # Short runs, which a busy machine disturbs more than those of the programs.
    one, two, apart = medians(3 * options.rounds, lambda: seconds(1), lambda: seconds(2), lambda: seconds(1, 2))
    return {"one_thread_s": one, "two_threads_s": two, "throughput": 2 * one / two, "processes": 2 * one / apart}


def counting(options, program, uncounted, paths):
    """What counting instructions adds, over all programs."""
    rows = [medians(options.rounds, lambda: Run([program, path]).seconds, lambda: Run([uncounted, path]).seconds)
            for path in paths]
    with_count, without = (sum(column) for column in zip(*rows))
    return {"counted_s": with_count, "uncounted_s": without, "cost": with_count / without - 1}


def starting(options, ours, theirs, empty):
    commands = {"ferry": ours, "python": theirs}
    if options.lua:
        commands["lua"] = [options.lua]
    rows = {}
    for name, command in commands.items():
        runs = [Run([*command, empty]) for _ in range(20)]
        rows[name] = {"wall_ms": statistics.median(run.wall for run in runs) * 1e3,
                      "memory_kb": statistics.median(run.kilobytes for run in runs)}
    return rows


def size_of(options):
    """Code and data of the VM's library, as `size` counts them."""
    archive = options.bin.parent / "device-runtime/vm/libferry_device_runtime_vm.a"
    rows = subprocess.run(["size", archive], check=True, capture_output=True, text=True).stdout
    return sum(int(row.split()[0]) + int(row.split()[1]) for row in rows.splitlines()[1:])


def report(figures):
    print(f"{'seconds':<16}{'ferry':>9}{'python':>9}{'ratio':>8}")
    for name, row in figures["programs"].items():
        print(f"{name:<16}{row['ferry']:>9.3f}{row['python']:>9.3f}{row['ratio']:>8.2f}")
    print(f"{'geometric mean':<34}{figures['geometric_mean']:>8.2f}")
    print(f"two isolates on two threads: {figures['threads']['throughput']:.2f} times one; "
          f"in two processes: {figures['threads']['processes']:.2f}")
    print(f"counting instructions: {figures['counting']['cost']:+.1%}")
    print(f"an isolate: {figures['isolate']['microseconds']:.0f} us, "
          f"{figures['isolate']['resident_bytes']:,} bytes resident")
    for name, row in figures["start"].items():
        print(f"an empty script, {name}: {row['wall_ms']:.1f} ms, {row['memory_kb'] / 1024:.1f} MB")
    print(f"code and data of the VM's library: {figures['library_bytes']:,} bytes")


def main():
    options = arguments()
    program, uncounted = (options.bin / name for name in ("ferry-vm-bench", "ferry-vm-bench-uncounted"))
    ours, theirs = [program], [options.python, "-S", "-E"]
    with tempfile.NamedTemporaryFile(suffix=".py") as empty:
        rows, wrong = compare(options, ours, theirs, empty.name)
        start = starting(options, ours, theirs, empty.name)
    loop = PROGRAMS / "methods.py"
    figures = {
        "programs": rows,
        "geometric_mean": math.exp(statistics.fmean(math.log(row["ratio"]) for row in rows.values())),
        "slower": [name for name, row in rows.items() if row["ratio"] < 1],
        "wrong": wrong,
        "threads": scaling(options, program, loop),
        "counting": counting(options, program, uncounted, programs(options)),
        "isolate": json.loads(Run([program, "--create", "1000"]).output),
        "start": start,
        "library_bytes": size_of(options),
        "python": Run([options.python, "-c", "import sys; print(sys.version)"]).output.decode().strip(),
    }
    if options.json:
        print(json.dumps(figures, indent=2))
    else:
        report(figures)
    if wrong:
        sys.exit(f"tools/dev bench vm: output differs from Python's: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
