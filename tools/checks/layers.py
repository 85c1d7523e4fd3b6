"""Who includes whom: tools/layers.txt allows it, and allows nothing that nobody includes."""
import collections
import pathlib
import re

from checks.tree import SOURCE_SUFFIXES, room_of

GENERATED_HEADER = re.compile(r"\.pb\.h$|\.gen\.inc$")
# What apps install lies in one folder there, and is named as they name it in these files.
INSTALLED = ("ferry.h", "ferry_engine.hpp")
OF_APPS = ("device-runtime/api/ferry", "tests/sdk/outside/")
# Projects of their own, that `ferry new` makes.
PROJECTS = "tools/ferry/local/project/templates/"


def includes(root, files, layers):
    """(file, its room or None, line, what it includes, the room of that or None) for each #include "..."."""
    for name in files:
        if pathlib.Path(name).suffix not in SOURCE_SUFFIXES or name.startswith(PROJECTS):
            continue
        room = room_of(name, layers)
        for number, line in enumerate((root / name).read_text(errors="replace").splitlines(), 1):
            match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if match:
                yield name, room, number, match.group(1), room_of(match.group(1), layers)


def check_layers(root, files, layers, stars):
    """`stars`: rooms that may include every room above them, used or not."""
    order = list(layers)
    for room, deps in layers.items():
        if not any(name.startswith(room + "/") for name in files):
            yield f"tools/layers.txt: there is no room '{room}'"
        for dep in deps:
            if dep not in layers:
                yield f"tools/layers.txt: room '{room}' names an unknown room '{dep}'"
            elif order.index(dep) > order.index(room):
                yield f"tools/layers.txt: room '{room}' may not include '{dep}', which stands above it"
    for name in files:
        if pathlib.Path(name).suffix in SOURCE_SUFFIXES and room_of(name, layers) is None:
            yield f"{name}: in no room of tools/layers.txt"
    used = collections.defaultdict(set)
    for name, room, number, target, other in includes(root, files, layers):
        if room is None:
            continue
        used[room].add(other)
        if target in INSTALLED and name.startswith(OF_APPS):
            continue
        if other is None or (not GENERATED_HEADER.search(target) and not (root / target).exists()):
            yield f"{name}:{number}: \"{target}\" is no header of a room; includes are root-relative"
        elif other != room and other not in layers[room]:
            yield f"{name}:{number}: room '{room}' may not include '{other}' (tools/layers.txt)"
    for room, deps in layers.items():
        for dep in deps:
            if room not in stars and dep not in used[room]:
                yield f"tools/layers.txt: no file of '{room}' includes one of '{dep}'"
