#!/usr/bin/env python3
"""Checks the tree: formatting, include directions, list files against directories, sizes, room READMEs.

usage: tools/tidy.py [--root DIR] [--no-format] [--clang-tidy]
Prints one line per finding, "file:line: what", and exits with 1 when there is any.
"""
import argparse
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

MAX_FILE_LINES = 900
MAX_MEDIAN_LINES = 200
MAX_README_LINES = 60
MAX_ENTRIES = 25
LISTS = {"device-runtime/vm/lib/py"}  # of modules, found by name: no list.inc
MAX_COLUMNS = 100
SOURCE_SUFFIXES = {".cc", ".h", ".hpp", ".c", ".inc"}
GENERATED_HEADER = re.compile(r"\.pb\.h$|\.gen\.inc$")


def read_layers(root):
    """{room: rooms it may include} of tools/layers.txt, in file order; "*" is every room above it."""
    layers = {}
    for line in (root / "tools/layers.txt").read_text().splitlines():
        match = re.match(r"([a-z][\w/-]*):(.*)$", line)
        if match:
            deps = match.group(2).split()
            layers[match.group(1)] = list(layers) if deps == ["*"] else deps
    return layers


def tracked_files(root):
    if (root / ".git").exists():
        out = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root,
                             capture_output=True, text=True, check=True).stdout
        names = out.splitlines()
    else:
        names = [str(p.relative_to(root)) for p in root.rglob("*") if p.is_file()]
    return sorted(n for n in names if (root / n).is_file())


def room_of(name, rooms):
    """The innermost room that holds the file, or None."""
    best = None
    for room in rooms:
        if name.startswith(room + "/") and (best is None or len(room) > len(best)):
            best = room
    return best


def check_includes(root, files, layers):
    for room, deps in layers.items():
        for dep in deps:
            if dep not in layers:
                yield f"tools/layers.txt: room '{room}' names an unknown room '{dep}'"
            elif list(layers).index(dep) > list(layers).index(room):
                yield f"tools/layers.txt: room '{room}' may not include '{dep}', which stands above it"
    for name in files:
        if pathlib.Path(name).suffix not in SOURCE_SUFFIXES:
            continue
        room = room_of(name, layers)
        if room is None:
            yield f"{name}: in no room of tools/layers.txt"
            continue
        for number, line in enumerate((root / name).read_text(errors="replace").splitlines(), 1):
            match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not match:
                continue
            target = match.group(1)
            other = room_of(target, layers)
            if other is None or (not GENERATED_HEADER.search(target) and not (root / target).exists()):
                yield f"{name}:{number}: \"{target}\" is no header of a room; includes are root-relative"
            elif other != room and other not in layers[room]:
                yield f"{name}:{number}: room '{room}' may not include '{other}' (tools/layers.txt)"


def snake(name):
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return name.lower()


def check_lists(root, files):
    """A list.inc with "// tidy: <glob> [except names...]" has one row, sorted, for each file that the glob finds."""
    for name in files:
        if not name.endswith("list.inc"):
            continue
        path = root / name
        rows, directive = [], None
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r"[A-Z][A-Z0-9_]*\(\s*\"?([\w./]+)", line)
            if match:
                rows.append((number, match.group(1)))
            match = re.match(r"// tidy: (\S+)(?: except (.*))?$", line)
            if match and match.group(1) != "-":
                directive = match
        keys = [snake(row) for _, row in rows]
        for (number, row), before, key in zip(rows[1:], keys, keys[1:]):
            if key <= before:
                yield f"{name}:{number}: row '{row}' is out of order"
        if directive:
            excepted = set((directive.group(2) or "").split())
            stems = {p.stem for p in path.parent.glob(directive.group(1)) if not p.stem.endswith("_test")} - excepted
            stems = {p for p in stems if not p.startswith(".")}
            for stem in sorted(stems - set(keys)):
                yield f"{name}: no row for '{stem}', which {directive.group(1)} finds"
            for key in sorted(set(keys) - stems):
                yield f"{name}: row '{key}' has no file like {directive.group(1)}"
        elif rows and "// tidy: -" not in path.read_text():
            yield f"{name}: says nothing of its files; add '// tidy: <glob>' or '// tidy: -'"


def check_sizes(root, files):
    lengths, entries = [], {}
    lists = {str(pathlib.Path(n).parent) for n in files if n.endswith("list.inc")}
    for name in files:
        parts = pathlib.Path(name).parts
        for depth in range(1, len(parts)):
            entries.setdefault("/".join(parts[:depth]), set()).add(parts[depth])
        path = root / name
        if path.suffix in SOURCE_SUFFIXES:
            lines = path.read_text(errors="replace").splitlines()
            if path.suffix == ".cc":
                lengths.append(len(lines))
            if len(lines) > MAX_FILE_LINES:
                yield f"{name}: {len(lines)} lines, at most {MAX_FILE_LINES}"
            for number, line in enumerate(lines, 1):
                if len(line) > MAX_COLUMNS and path.suffix != ".inc":
                    yield f"{name}:{number}: {len(line)} columns, at most {MAX_COLUMNS}"
        if path.name == "README.md" and len(parts) > 1:
            count = len(path.read_text().splitlines())
            if count > MAX_README_LINES:
                yield f"{name}: {count} lines, at most {MAX_README_LINES}"
    if lengths and statistics.median(lengths) > MAX_MEDIAN_LINES:
        yield f"median .cc file has {statistics.median(lengths)} lines, at most {MAX_MEDIAN_LINES}"
    for folder, names in sorted(entries.items()):
        is_list = folder in lists or "cases" in folder.split("/") or folder in LISTS
        if len(names) > MAX_ENTRIES and not is_list:
            yield f"{folder}: {len(names)} entries, at most {MAX_ENTRIES}"


def check_readmes(root, files, layers):
    known = set(files)
    for room in layers:
        if not (root / room).is_dir():
            continue
        parts = room.split("/")
        if not any("/".join(parts[:n]) + "/README.md" in known for n in range(len(parts), 0, -1)):
            yield f"{room}: neither it nor the folder above it has a README.md"


def check_format(root, files):
    tool = shutil.which("clang-format")
    if tool is None:
        yield "clang-format is not installed (tools/dev setup lint)"
        return
    sources = [n for n in files if pathlib.Path(n).suffix in {".cc", ".h", ".hpp", ".c"}]
    out = subprocess.run([tool, "--dry-run"] + sources, cwd=root, capture_output=True, text=True).stderr
    for name in sorted({line.split(":")[0] for line in out.splitlines() if "warning:" in line}):
        yield f"{name}: not formatted (tools/dev fmt)"


def check_clang_tidy(root, files):
    database = root / "build/release"
    sources = [n for n in files if n.endswith(".cc")]
    out = subprocess.run(["clang-tidy", "-p", str(database), "--quiet"] + sources, cwd=root, capture_output=True,
                         text=True).stdout
    for line in out.splitlines():
        if " warning: " in line or " error: " in line:
            yield line.replace(str(root) + "/", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parent.parent, type=pathlib.Path)
    parser.add_argument("--no-format", action="store_true", help="leave clang-format out")
    parser.add_argument("--clang-tidy", action="store_true", help="also run clang-tidy (minutes)")
    options = parser.parse_args()
    root = options.root.resolve()
    files = tracked_files(root)
    layers = read_layers(root)
    checks = [check_includes(root, files, layers), check_lists(root, files), check_sizes(root, files),
              check_readmes(root, files, layers)]
    if not options.no_format:
        checks.append(check_format(root, files))
    if options.clang_tidy:
        checks.append(check_clang_tidy(root, files))
    count = 0
    for check in checks:
        for finding in check:
            print(finding)
            count += 1
    print(f"tidy: {len(files)} files, {count} findings")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
