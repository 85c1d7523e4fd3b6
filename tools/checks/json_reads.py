#!/usr/bin/env python3
"""Which source files read nlohmann/json without naming it: a header handed it on, and each pays seconds of parsing.

usage: tools/checks/json_reads.py [--build DIR] [--most N]
Reads what the compiler noted of a built tree (ninja -t deps; single files, so build/release and not build/unity), prints
the files and their count, and exits with 1 where there are more than N (30). Files count that a precompiled header makes
read it. A file names JSON where its own text has Json, nlohmann or a function of common/base/json.h.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = "nlohmann/json.hpp"


def accessors(header_text):
    """The functions that common/base/json.h declares."""
    return set(re.findall(r"^[\w:<>,* ]+[ >*](\w+)\(", header_text, re.M))


def names_json(text, words):
    """Whether the code of `text`, comments and includes apart, has one of `words`."""
    code = re.sub(r"//[^\n]*|^\s*#\s*include[^\n]*", "", text, flags=re.M)
    return re.search(r"\b(?:" + "|".join(sorted(words)) + r")\b", code) is not None


def read_deps(text):
    """{object: its dependencies} of the output of `ninja -t deps`."""
    deps, current = {}, None
    for line in text.splitlines():
        if line.startswith(" "):
            current.append(line.strip())
        elif ": #deps" in line:
            current = deps.setdefault(line.split(": #deps")[0], [])
    return deps


def precompiled(commands):
    """{object: its precompiled header} of the entries of compile_commands.json."""
    found = {}
    for entry in commands:
        words = entry["command"].split()
        if "-include" in words and "-o" in words:
            header = words[words.index("-include") + 1]
            found[words[words.index("-o") + 1]] = f"{header}.gch"
    return found


def readers(deps, headers):
    """Sources (the first dependency of an object) that read nlohmann/json: themselves, or by the one of `headers`."""
    direct = {name for name, files in deps.items() if any(file.endswith(HEADER) for file in files)}
    heavy = {name for name, header in headers.items() if any(header.endswith("/" + d) or header == d for d in direct)}
    return {files[0] for name, files in deps.items() if files and (name in direct or name in heavy)}


def unnamed(found_readers, build, root, words):
    """Paths below `root` of those .cc files of `found_readers` that do not name JSON, sorted."""
    found = []
    for file in found_readers:
        path = (build / file).resolve()
        if path.suffix != ".cc" or not path.is_file() or build in path.parents or root not in path.parents:
            continue
        if not names_json(path.read_text(errors="replace"), words):
            found.append(str(path.relative_to(root)))
    return sorted(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--most", type=int, default=30)
    options = parser.parse_args()
    build = options.build.resolve()
    done = subprocess.run(["ninja", "-C", str(build), "-t", "deps"], capture_output=True, text=True, check=False)
    deps = read_deps(done.stdout)
    if done.returncode != 0 or not deps:
        raise SystemExit(f"{build}: no built tree: {done.stderr.strip()}")
    words = accessors((ROOT / "common/base/json.h").read_text()) | {"Json", "nlohmann"}
    headers = precompiled(json.loads((build / "compile_commands.json").read_text()))
    files = unnamed(readers(deps, headers), build, ROOT, words)
    for file in files:
        print(file)
    print(f"{len(files)} source files read {HEADER} and do not name it (at most {options.most})")
    sys.exit(1 if len(files) > options.most else 0)


if __name__ == "__main__":
    main()
