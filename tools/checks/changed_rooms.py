#!/usr/bin/env python3
"""Which tests a change may break: the rooms of the files that differ, and the rooms that may include them.

usage: tools/checks/changed_rooms.py [--root DIR] [REV]
Compares the working tree, new files too, with the point where it left REV (HEAD unless told: what is not committed).
Prints one word a line for `tools/dev test`: a room, the path of a suite of Python, or "all" where a file belongs to no
room (CMakeLists.txt of the root, tools/dev): then anything may break. Nothing is printed where nothing differs.
"""
import argparse
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import tree  # noqa: E402: the map of rooms is read by the same code that checks it

# Files that no test reads.
TEXT_ONLY = (".md", "LICENSE", ".clang-format", ".clang-tidy", ".gitignore")


def changed_files(root, revision):
    """Names of files that differ from the merge base of `revision` and HEAD, with those that git does not know yet."""
    def git(*arguments):
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"tools/dev: git {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout
    base = git("merge-base", revision, "HEAD").strip()
    # Without renames: the room that a file left may break, too.
    names = git("diff", "--name-only", "--no-renames", base).splitlines()
    return sorted(set(names + git("ls-files", "--others", "--exclude-standard").splitlines()))


def readers_of(rooms, layers):
    """`rooms`, all that may include one of them, those that may include these, and so on, in the order of the map."""
    reached = set(rooms)
    for room, deps in layers.items():  # from the bottom up, so one pass reaches all
        if reached & set(deps):
            reached.add(room)
    return [room for room in layers if room in reached]


def select(files, layers, suites):
    """What to test for changed `files`: rooms, then those of `suites` (paths of Python tests) that changed or that lie
    beside a file that did; ["all"] where a file belongs to no room."""
    rooms, chosen = set(), set()
    for name in files:
        if name.endswith(TEXT_ONLY):
            continue
        folder = name.rsplit("/", 1)[0]
        beside = {suite for suite in suites if suite.rsplit("/", 1)[0] == folder}
        room = tree.room_of(name, layers)
        if room not in (None, "tests"):
            rooms.add(room)
        elif name in suites:
            chosen.add(name)
        elif beside:
            chosen |= beside
        else:
            return ["all"]
    # The room "tests" has no tests but the suites; which of them runs what of a program, nothing says.
    return [room for room in readers_of(rooms, layers) if room != "tests"] + sorted(chosen)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("revision", nargs="?", default="HEAD")
    options = parser.parse_args()
    suites = sorted(str(path.relative_to(options.root)) for path in options.root.glob("tests/*/*_test.py"))
    layers, _ = tree.read_layers(options.root)
    for word in select(changed_files(options.root, options.revision), layers, suites):
        print(word)


if __name__ == "__main__":
    main()
