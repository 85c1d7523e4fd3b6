#!/usr/bin/env python3
"""Where the functions that a header declares are defined.

A function declared in x.h is defined in x.cc beside it (or in x.h itself), or it stands under a comment
"// ---- exec/collections/set.cc": the file, relative to the header's folder or to the room. A heading holds to the
next one, or to the end of the class or namespace that it stands in; one that names no file ends it. Overloads are
told apart by name only.

usage: headings.py [ROOT [ROOM..]]   prints what does not hold in the rooms, device-runtime/vm if none is named
"""
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import cpp  # noqa: E402

ROOMS = ["device-runtime/vm"]
FILE = re.compile(r"[\w./-]+\.(?:cc|h|inc)\b")


def named_file(heading, header, room, known):
    """(the file that the heading names or None, what is wrong or None)."""
    names = FILE.findall(heading)
    if not names:
        return None, None
    if len(names) > 1:
        return None, f"heading '{heading}' names {len(names)} files"
    for folder in (pathlib.Path(header).parent, pathlib.Path(room)):
        path = (folder / names[0]).as_posix()
        if path in known:
            return path, None
    return None, f"heading names '{names[0]}', which is not there"


def check_room(root, files, room):
    mine = [n for n in files if n.startswith(room + "/") and n.endswith((".h", ".cc", ".inc"))]
    known, places, declared = set(mine), collections.defaultdict(set), {}
    for name in mine:
        found = cpp.functions((root / name).read_text(errors="replace"))
        for function in found:
            if function.defined:
                places[function.name].add(name)
        declared[name] = [f for f in found if not f.defined]
    for header in mine:
        if not header.endswith(".h"):
            continue
        reported = set()
        for function in declared[header]:
            own = [header, header[:-2] + ".cc"]
            expected = None
            if function.heading is not None:
                line, text = function.heading
                expected, wrong = named_file(text, header, room, known)
                if wrong is not None and line not in reported:
                    yield f"{header}:{line}: {wrong}"
                    reported.add(line)
            name, where = short(function.name), places.get(function.name, set())
            if not where:
                yield f"{header}:{function.line}: '{name}' is defined nowhere in {room}"
            elif expected is not None and expected not in where and header not in where:
                yield (f"{header}:{function.line}: '{name}' stands under {expected} and is defined in "
                       f"{' and '.join(sorted(where))}")
            elif expected is None and not where.intersection(own):
                yield (f"{header}:{function.line}: '{name}' is defined in {' and '.join(sorted(where))}, "
                       f"which no heading says")


def short(name):
    return re.sub(r"^ferry::vm::|^ferry::", "", name)


def check_headings(root, files, rooms=None):
    for room in rooms or ROOMS:
        yield from check_room(root, files, room)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    rooms = sys.argv[2:] or ROOMS
    files = sorted(p.relative_to(root).as_posix() for room in rooms for p in (root / room).rglob("*") if p.is_file())
    count = 0
    for finding in check_headings(root, files, rooms):
        print(finding)
        count += 1
    print(f"headings: {count} findings")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
