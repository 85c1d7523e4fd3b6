#!/usr/bin/env python3
"""Random programs by seed, run by `ferry task exec` and by this Python; what they print must be the same.

    programs.py --ferry build/release/bin/ferry --first 1 --count 100     compares; the first difference ends it, status 1
    programs.py --kind library --count 100                                 calls of library modules; objects: classes and special methods
    programs.py --show 7                                                   the program of a seed
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import library  # noqa: E402
import objects  # noqa: E402
import statements  # noqa: E402

FUNCTIONS = 12  # of one program
CALLS = 60  # of one program of library calls, or uses of objects
SECONDS = 60  # that one run may take


KINDS = {
    "statements": lambda source: statements.Program(source).text(FUNCTIONS),
    "library": lambda source: library.text(source, CALLS),
    "objects": lambda source: objects.Objects(source).text(CALLS),
}


def program(seed, kind="statements"):
    return KINDS[kind](random.Random(seed))


def run(command, text, folder, hash_seed="random"):
    """Standard output and exit status of one run; None when it takes too long."""
    path = pathlib.Path(folder) / "program.py"
    path.write_text(text)
    try:
        done = subprocess.run([*command, str(path)], capture_output=True, timeout=SECONDS,
                              env={**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONHASHSEED": hash_seed})
    except subprocess.TimeoutExpired:
        return None
    return done.stdout, done.returncode


def differs(text, ours, seeds=12):
    with tempfile.TemporaryDirectory(prefix="ferry-programs-") as folder:
        python = [sys.executable, "-W", "ignore"]
        expected = run(python, text, folder, "0")
        if expected is None or run(ours, text, folder) == expected:
            return False
        # What goes by the order of a set is not the same in two runs of Python either.
        return all(run(python, text, folder, str(seed)) == expected for seed in range(1, seeds))


def reduced(text, ours):
    """A smaller program that still differs."""
    lines = text.splitlines()
    size = len(lines) // 2
    while size >= 1:
        at = 0
        while at < len(lines):
            for fewer in (lines[:at] + lines[at + size:], opened(lines, at)):
                if compiles(fewer) and differs("\n".join(fewer) + "\n", ours, 3):
                    lines = fewer
                    break
            else:
                at += size
        size //= 2
    return "\n".join(lines) + "\n"


def opened(lines, at):
    """Without the head of the block that begins at `at`, and what belonged to it moved out."""
    indent = lambda line: len(line) - len(line.lstrip())
    end = at + 1
    while end < len(lines) and indent(lines[end]) > indent(lines[at]):
        end += 1
    if not lines[at].endswith(":") or lines[at].startswith(("def ", "class ")):
        return ["("]  # no program
    return lines[:at] + [line[4:] for line in lines[at + 1:end]] + lines[end:]


def compiles(lines):
    try:
        compile("\n".join(lines) + "\n", "program.py", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def first_line(text, ours):
    """The first line of output that differs, from both sides."""
    with tempfile.TemporaryDirectory(prefix="ferry-programs-") as folder:
        theirs, mine = (run(command, text, folder) or (b"(too slow)", 0) for command in ([sys.executable, "-W", "ignore"], ours))
    pairs = zip(theirs[0].decode().splitlines() + ["(end)"], mine[0].decode(errors="replace").splitlines() + ["(end)"])
    return next(((a, b) for a, b in pairs if a != b), (f"status {theirs[1]}", f"status {mine[1]}"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ferry", default="build/release/bin/ferry", help="the program; runs `task exec FILE`")
    parser.add_argument("--command", help="runs this with the file instead")
    parser.add_argument("--first", type=int, default=1, help="first seed")
    parser.add_argument("--count", type=int, default=50, help="programs")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep-going", action="store_true", help="tell all differences, not only the first")
    parser.add_argument("--no-reduce", action="store_true", help="show programs that differ as they are")
    parser.add_argument("--kind", choices=sorted(KINDS), default="statements", help="what the programs are made of")
    parser.add_argument("--show", type=int, help="print the program of this seed")
    arguments = parser.parse_args()
    if arguments.show is not None:
        print(program(arguments.show, arguments.kind), end="")
        return 0
    ours = arguments.command.split() if arguments.command else [arguments.ferry, "task", "exec"]
    seeds = range(arguments.first, arguments.first + arguments.count)
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for seed, different in zip(seeds, pool.map(lambda seed: differs(program(seed, arguments.kind), ours), seeds)):
            if not different:
                continue
            bad += 1
            small = program(seed, arguments.kind)
            if not arguments.no_reduce:
                small = reduced(small, ours)
            expected, got = first_line(small, ours)
            print(f"seed {seed}:\n{small}\npython: {expected}\nferry:  {got}", flush=True)
            if not arguments.keep_going:
                break
    print(f"{len(seeds)} programs from seed {arguments.first}, {bad} differ")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
