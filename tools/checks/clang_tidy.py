#!/usr/bin/env python3
"""clang-tidy over the tree, as .clang-tidy says, without a finding: "file:line: what [check]".

Most of what clang-tidy does for a file goes into the headers that it includes, so files of one library are given to it
together, GROUP at a time, as far as their own names do not clash. Those that a jumbo build compiles as one are known not
to clash, and stay together. What was found in a file and its headers is
remembered in build/tidy under a hash of them, of the compiler's flags and of .clang-tidy: a second run looks only at
what changed, in seconds.

usage: clang_tidy.py [--root DIR] [--database DIR] [--jobs N] [--shard I/N] [--group N] [--cached] [PATH..]

  --database  the folder with compile_commands.json and with what is generated in gen/ (ninja target ferry_messages;
              lists of generated rows that are not there, *.gen.inc, are taken as empty); build/release
  --shard     the I-th of N parts, from 1: for several machines
  --cached    reports what is remembered and how many files are not, and runs nothing
  PATH..      files or folders; all unless told
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

GROUP = 16
INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.M)
FINDING = re.compile(r"^(/[^:]+):(\d+):\d+: (?:warning|error): (.*) (\[[\w.,-]+\])$")
# Names that a file gives at its outermost scopes, whose lines are not indented, and macros.
OWN_NAME = re.compile(r"^(?!return\b|namespace\b|using\b|TEST|template\b|public:|private:)[A-Za-z][^\n(={;]*?(?<!::)"
                      r"\b(\w+)(?=\s*[(={;\[:])(?!::)|^#define (\w+)", re.M)
# What clang does not know, or what only says how GCC lays a precompiled header out.
UNKNOWN_FLAGS = re.compile(r"-fpch-preprocess|-Winvalid-pch|-fno-(align|tree|ipa|var)\S*|-fpch-deps|-W(?!no-)\S*")


class Tree:
    """Files of the tree, and hashes of them with all that they include."""

    def __init__(self, root, database):
        self.root, self.places = root, [root, database / "gen"]
        self.own, self.includes = {}, {}

    def read(self, path):
        if path not in self.own:
            data = path.read_bytes()
            self.own[path] = hashlib.sha256(data).digest()
            self.includes[path] = [self.find(name.decode()) for name in INCLUDE.findall(data)]
        return self.own[path]

    def find(self, name):
        return next((place / name for place in self.places if (place / name).is_file()), None)

    def closure(self, path):
        """The file and the files of the tree that it includes, whatever the way."""
        seen, todo = {path}, [path]
        while todo:
            at = todo.pop()
            self.read(at)
            for other in self.includes[at]:
                if other is not None and other not in seen:
                    seen.add(other)
                    todo.append(other)
        return seen

    def key(self, path, flags, config):
        digest = hashlib.sha256(config + "\0".join(flags).replace(str(self.root), ".").encode())
        for name in sorted(self.closure(path)):
            digest.update(str(name).removeprefix(str(self.root)).encode() + self.read(name))
        return digest.hexdigest()


def flags_of(entry, root, database):
    """The compiler's flags of one file, without input and output."""
    words, flags, skip = shlex.split(entry["command"])[1:], [], False
    for i, word in enumerate(words):
        if skip:
            skip = False
        elif word in ("-o", "-c", "-MF", "-MT", "-MQ"):
            skip = True
        elif word == "-include" and words[i + 1].endswith("cmake_pch.hxx"):
            # Beside it lies GCC's compiled form, which clang would take for its own.
            source = pathlib.Path(entry["directory"]) / words[i + 1]
            text = source.read_bytes()
            copy = root / "build/tidy" / (hashlib.sha256(text).hexdigest()[:16] + ".h")
            if not copy.is_file():
                copy.write_bytes(text)
            flags += ["-include", str(copy)]
            skip = True
        elif word in ("-MD", "-MMD", "-Oz") or UNKNOWN_FLAGS.fullmatch(word):
            pass
        else:
            flags.append(word)
    return flags


def empty_lists(root, database, sources):
    """The flag for a folder with an empty file in place of each list of rows that has not been generated."""
    folder = root / "build/tidy/empty"
    for source in sources:
        for name in re.findall(rb'#include "([^"]+\.gen\.inc)"', source.read_bytes()):
            path = folder / name.decode()
            if not (database / "gen" / name.decode()).is_file() and not path.is_file():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
    return [f"-idirafter{folder}"]


def compilations(database):
    """Yields (entry of the database, the files that it compiles as one)."""
    for entry in json.loads((database / "compile_commands.json").read_text()):
        path = (pathlib.Path(entry["directory"]) / entry["file"]).resolve()
        sources = [path]
        if re.fullmatch(r"unity_\w+_cxx\.cxx", path.name) and path.is_file():
            sources = [pathlib.Path(name) for name in re.findall(r'#include "([^"]+)"', path.read_text())]
        yield entry, sources


def read_database(root, database, paths):
    """{source: flags} of the tree's own files that lie below one of the paths."""
    found = {}
    for entry, sources in compilations(database):
        for source in sources:
            name = str(source.relative_to(root)) if source.is_relative_to(root) else "build/"
            chosen = not paths or any(name == p or name.startswith(p + "/") for p in paths)
            if chosen and not name.startswith("build/"):
                found.setdefault(source, flags_of(entry, root, database))
    return found


def run_clang_tidy(root, sources, flags):
    """(findings as (file, line, what), files that clang could not read) of the sources as one."""
    if len(sources) == 1:
        unit = sources[0]
    else:
        text = "".join(f'#include "{source}"\n' for source in sources)
        unit = root / "build/tidy" / (hashlib.sha256(text.encode()).hexdigest()[:16] + ".cc")
        unit.write_text(text)
    command = ["clang-tidy", "--quiet", f"--config-file={root / '.clang-tidy'}", str(unit), "--", "-Wno-everything",
               "-ferror-limit=0"]
    run = subprocess.run(command + flags, cwd=root, capture_output=True, text=True)
    findings, unread = [], set()
    for line in run.stdout.splitlines():
        match = FINDING.match(line)
        if match is None:
            continue
        path = pathlib.Path(os.path.normpath(match.group(1)))
        if "clang-diagnostic-error" in match.group(4):
            unread.add(path)
        if path.is_relative_to(root) and not path.is_relative_to(root / "build"):
            findings.append([str(path.relative_to(root)), int(match.group(2)), f"{match.group(3)} {match.group(4)}"])
    if run.returncode < 0 or "PLEASE submit a bug report" in run.stderr:
        unread.update(sources)
        what = "clang-tidy does not survive it [clang-diagnostic-error]"
        findings.append([str(sources[0].relative_to(root)), 1, what])
    return findings, unread


def look_at(root, sources, flags):
    """[(source, findings in it and in what it includes, wherever)] of the sources."""
    findings, unread = run_clang_tidy(root, sources, flags)
    if len(sources) == 1 or not unread:
        return [(source, findings) for source in sources]
    # Their names clash after all: those that show it alone, the others together.
    alone = [source for source in sources if source in unread] or sources
    rest = [source for source in sources if source not in alone]
    found = [pair for source in alone for pair in look_at(root, [source], flags)]
    return found + (look_at(root, rest, flags) if rest else [])


class Memory:
    """What was found earlier: a file of JSON for each source and its headers."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def get(self, key):
        path = self.folder / key[:2] / key
        return json.loads(path.read_text()) if path.is_file() else None

    def put(self, key, findings):
        path = self.folder / key[:2] / key
        path.parent.mkdir(exist_ok=True)
        path.with_suffix(".new").write_text(json.dumps(findings))
        path.with_suffix(".new").rename(path)


def own_names(source):
    text = re.sub(r'R"(\w*)\(.*?\)\1"', '""', source.read_text(errors="replace"), flags=re.S)
    return {one or other for one, other in OWN_NAME.findall(text)}


def groups_of(sources, size, batches=()):
    """[(sources, their flags)]: at most `size` that have the same flags and no name of their own in common.

    `batches`: lists of files that are compiled as one; those of `sources` among them are one group if they are not too
    many, whatever their names.
    """
    groups, left = [], dict(sources)
    for batch in batches:
        some = sorted(source for source in batch if source in left)
        if 1 < len(some) <= size and all(left[source] == left[some[0]] for source in some):
            groups.append((some, left[some[0]], set().union(*map(own_names, some))))
            for source in some:
                del left[source]
    for source, flags in sorted(left.items()):
        names = own_names(source)
        for group in groups:
            if len(group[0]) < size and group[1] == flags and not names & group[2]:
                group[0].append(source)
                group[2].update(names)
                break
        else:
            groups.append(([source], flags, names))
    return [(some, flags) for some, flags, _ in groups]


def check_clang_tidy(root, jobs=None, database=None, shard=(1, 1), group=GROUP, paths=(), cached=False, sample=None,
                     say=None):
    """Yields the findings, each once.

    `cached`: only what is remembered; a last line says how many files are not. `sample`: of the groups of files that
    are not remembered only so many are looked at, those that their hashes choose.
    """
    if shutil.which("clang-tidy") is None:
        yield "clang-tidy is not installed (tools/dev setup lint)"
        return
    database = database or root / "build/release"
    if not (database / "compile_commands.json").is_file():
        yield f"{database} has no compile_commands.json (cmake --preset release)"
        return
    memory, tree, known = Memory(root / "build/tidy/found"), Tree(root, database), {}
    config = (root / ".clang-tidy").read_bytes()
    sources = read_database(root, database, paths)
    extra = empty_lists(root, database, sources)
    keys = {source: tree.key(source, flags, config) for source, flags in sources.items()}

    def report(source, findings):
        for name, line, what in findings:
            finding = f"{name}:{line}: {what}"
            if finding not in known:
                known[finding] = True
                yield finding

    missing = {}
    for source, flags in sources.items():
        findings = memory.get(keys[source])
        if findings is None:
            missing[source] = flags
        else:
            yield from report(source, findings)
    if cached:
        if missing:
            yield f"{len(missing)} files have not been looked at (tools/dev tidy --clang-tidy)"
        return
    batches = [files for _, files in compilations(database)]
    mine = {source for some, _ in groups_of(sources, group, batches)[shard[0] - 1::shard[1]] for source in some}
    work = groups_of({source: flags for source, flags in missing.items() if source in mine}, group, batches)
    if sample is not None:
        work = sorted(work, key=lambda one: keys[one[0][0]])[:sample]
    begun, done = time.monotonic(), 0
    with concurrent.futures.ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        running = [pool.submit(look_at, root, some, flags + extra) for some, flags in work]
        for future in concurrent.futures.as_completed(running):
            for source, findings in future.result():
                reach = {str(p.relative_to(root)) for p in tree.closure(source) if p.is_relative_to(root)}
                mine = [finding for finding in findings if finding[0] in reach]
                if not any("[clang-diagnostic-error]" in what for _, _, what in mine):
                    memory.put(keys[source], mine)
                yield from report(source, mine)
                done += 1
            if say is not None:
                say(f"clang-tidy: {done} of {sum(len(some) for some, _ in work)} files, "
                    f"{time.monotonic() - begun:.0f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parents[2], type=pathlib.Path)
    parser.add_argument("--database", type=pathlib.Path)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--shard", default="1/1")
    parser.add_argument("--group", type=int, default=GROUP)
    parser.add_argument("--cached", action="store_true")
    parser.add_argument("paths", nargs="*")
    options = parser.parse_args()
    part, parts = map(int, options.shard.split("/"))
    count = 0
    database = options.database and options.database.resolve()
    paths = [path.rstrip("/") for path in options.paths]
    for finding in check_clang_tidy(options.root.resolve(), options.jobs, database, (part, parts), options.group, paths,
                                    options.cached, say=lambda text: print(text, file=sys.stderr, flush=True)):
        print(finding, flush=True)
        count += 1
    print(f"clang-tidy: {count} findings", file=sys.stderr)
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
